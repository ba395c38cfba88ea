// Part of model_manager.h: what it keeps in the models file, and what it finds changed there.
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/base/log.h"
#include "server/models/model_manager.h"
#include "server/settings/models_file.h"

namespace dragoman {

void ModelManager::UseModelsFile(const ServerConfig& config) {
  models_file_ = config.models_file;
  keeps_changes_ = config.admin_writes;
  configured_ = config.configured;
  desired_ = config.desired;
  for (const CanarySettings& canary : config.canaries) {
    // The error is in the log, and the model serves without its canary.
    LoadCanaryVersion(canary.model, canary.share).IgnoreError();
  }
}

ModelSettings ModelManager::BaseOf(const std::string& name, bool* is_configured) const {
  for (const ModelSettings& model : configured_) {
    if (model.model_name != name) continue;
    *is_configured = true;
    return model;
  }
  *is_configured = false;
  ModelSettings base = defaults_;
  base.model_directory.clear();
  base.ensemble = {};
  return base;
}

absl::Status ModelManager::CheckKeeps() const {
  if (!keeps_changes_) return absl::OkStatus();
  absl::Status status = CheckModelsFileWritable(models_file_);
  if (!status.ok()) return status;
  const absl::StatusOr<DesiredModels> now = ReadModelsFile(models_file_);
  if (now.ok() && *now == desired_) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      models_file_, ": ",
      now.ok() ? "found other contents than were read last, expected SIGHUP before the next change"
               : std::string(now.status().message()),
      "; nothing was changed"));
}

absl::Status ModelManager::Keep(const std::function<void(DesiredModels*)>& change) {
  if (!keeps_changes_) return absl::OkStatus();
  DesiredModels next = desired_;
  change(&next);
  const absl::Status written = WriteModelsFile(models_file_, next);
  if (!written.ok()) {
    Log(LogLevel::kError, "change not kept", {{"error", std::string(written.message())}});
    return absl::InternalError(
        absl::StrCat("the change is in effect, but a restart will lose it: ", written.message()));
  }
  desired_ = std::move(next);
  return absl::OkStatus();
}

absl::Status ModelManager::Adopt(const std::string& name, const DesiredModels& desired) {
  const auto entry_of = [&name](const DesiredModels& of) {
    const auto at = of.models.find(name);
    return at == of.models.end() ? nullptr : &at->second;
  };
  const DesiredModel none;
  const DesiredModel* const entry = entry_of(desired);
  const DesiredModel& now = entry == nullptr ? none : *entry;
  const DesiredModel& then = entry_of(desired_) == nullptr ? none : *entry_of(desired_);
  const bool was_unloaded = desired_.unloaded.contains(name);
  bool is_configured = false;
  const ModelSettings base = BaseOf(name, &is_configured);
  const bool is_served = settings_.contains(name);
  if (desired.unloaded.contains(name) || (entry == nullptr && !is_configured)) {
    return is_served ? TakeOut(name).status() : absl::OkStatus();
  }
  const absl::StatusOr<ModelSettings> settings = SettingsOf(base, name, now);
  if (!settings.ok()) return settings.status();
  if (!is_served || was_unloaded || now.directory != then.directory ||
      now.settings != then.settings) {
    const absl::Status loaded = Replace(*settings).status();
    if (!loaded.ok()) return loaded;
  }
  if (now.canary == then.canary) return absl::OkStatus();
  if (!now.canary.has_value()) {
    table_->WithdrawCanary(name);
    canary_settings_.erase(name);
    Log(LogLevel::kInfo, "canary withdrawn", {{"model", name}});
    return absl::OkStatus();
  }
  DesiredCanary but_share = *now.canary;
  if (then.canary.has_value()) but_share.share = then.canary->share;
  if (but_share == then.canary && table_->SetCanaryShare(name, now.canary->share)) {
    return absl::OkStatus();
  }
  const absl::StatusOr<ModelSettings> canary = CanarySettingsOf(*settings, *now.canary);
  if (!canary.ok()) return canary.status();
  return LoadCanaryVersion(*canary, now.canary->share).status();
}

void ModelManager::AdoptModelsFile() {
  if (models_file_.empty()) return;
  const absl::StatusOr<DesiredModels> read = ReadModelsFile(models_file_);
  if (!read.ok()) {
    Log(LogLevel::kError, "models file not read, the models stay as they are",
        {{"error", std::string(read.status().message())}});
    return;
  }
  std::set<std::string> loads;
  std::set<std::string> unloads = read->unloaded;
  for (const DesiredModels* of : {&std::as_const(desired_), &*read}) {
    for (const auto& [name, model] : of->models) loads.insert(name);
    loads.insert(of->unloaded.begin(), of->unloaded.end());
  }
  for (const std::string& name : unloads) loads.erase(name);
  // Loads come before unloads, because the last model is never taken out.
  for (const std::set<std::string>* names : {&loads, &unloads}) {
    for (const std::string& name : *names) {
      if (gives_up_.load()) return;
      const auto then = desired_.models.find(name);
      const auto now = read->models.find(name);
      const bool same = desired_.unloaded.contains(name) == read->unloaded.contains(name) &&
                        (then == desired_.models.end()) == (now == read->models.end()) &&
                        (now == read->models.end() || then->second == now->second);
      if (same) continue;
      const absl::Status adopted = Adopt(name, *read);
      if (!adopted.ok()) {
        // Tried again at the next SIGHUP.
        Log(LogLevel::kError, "change of the models file not made",
            {{"model", name}, {"error", std::string(adopted.message())}});
        continue;
      }
      desired_.models.erase(name);
      desired_.unloaded.erase(name);
      if (now != read->models.end()) desired_.models.insert(*now);
      if (read->unloaded.contains(name)) desired_.unloaded.insert(name);
    }
  }
}

}  // namespace dragoman
