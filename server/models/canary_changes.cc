// Part of model_manager.h: what it does to canaries.
#include <exception>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/base/allocator.h"
#include "server/base/log.h"
#include "server/base/quoted.h"
#include "server/models/model_manager.h"
#include "server/models/model_paths.h"
#include "server/settings/models_file.h"

namespace dragoman {

absl::StatusOr<ModelPtr> ModelManager::LoadCanaryVersion(const ModelSettings& settings, int share) {
  const std::string& name = settings.model_name;
  const std::string label = CanaryLabel(name);
  Log(LogLevel::kInfo, "loading canary",
      {{"model", name}, {"directory", absl::StrJoin(DirectoriesOf(settings), ",")}});
  absl::StatusOr<ModelPtr> put = absl::InternalError("");
  try {
    absl::StatusOr<ServedModel> made =
        MakeVersion(settings, ShareOf(settings, PlanOf(settings), {}),
                    std::make_shared<VersionMetrics>(label, metrics_->ForModel(label)));
    put = made.ok() ? table_->PutCanary(*std::move(made), share)
                    : absl::StatusOr<ModelPtr>(made.status());
  } catch (const std::exception& e) {
    put = absl::ResourceExhaustedError(absl::StrCat("loading failed: ", e.what()));
  }
  GiveBackFreeMemory();
  metrics_->OnReload(label, put.ok());
  if (!put.ok()) {
    const absl::Status why(put.status().code(),
                           absl::StrCat("canary of model ", name, ": ", put.status().message()));
    Log(LogLevel::kError, "canary not loaded",
        {{"model", name}, {"error", std::string(why.message())}});
    return why;
  }
  canary_settings_[name] = settings;
  Log(LogLevel::kInfo, "canary loaded",
      {{"model", name},
       {"version", (*put)->version},
       {"checksum", (*put)->checksum},
       {"percent", share * 100.0 / CanarySplit::kWhole}});
  return put;
}

absl::StatusOr<ModelTable::Canary> ModelManager::SetCanary(const std::string& name,
                                                           const std::string& directory,
                                                           const SettingTexts& settings,
                                                           double percent) {
  const std::optional<int> asked = ShareOfPercent(percent);
  if (!asked.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("percent: found ", percent, ", expected 0 to 100 in steps of 0.01"));
  }
  const int share = *asked;
  const auto known = settings_.find(name);
  if (known == settings_.end()) return NoSuchModel(name);
  const std::optional<ModelTable::Canary> present = table_->FindCanary(name);
  if (directory.empty()) {
    if (!present.has_value()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "directory: found nothing, expected the one of a canary: model ", name, " has none yet"));
    }
    if (!settings.empty()) {
      return absl::InvalidArgumentError(
          "settings: found some without a directory, expected both, or the share alone");
    }
  }
  if (absl::Status status = CheckPaths(directory, settings); !status.ok()) return status;
  if (absl::Status status = CheckKeeps(); !status.ok()) return status;
  ModelPtr model;
  if (directory.empty()) {
    table_->SetCanaryShare(name, share);
    model = present->model;
    Log(LogLevel::kInfo, "canary's share",
        {{"model", name}, {"percent", share * 100.0 / CanarySplit::kWhole}});
  } else {
    const absl::StatusOr<ModelSettings> canary =
        CanarySettingsOf(known->second, {directory, settings, share});
    if (!canary.ok()) return canary.status();
    absl::StatusOr<ModelPtr> loaded = LoadCanaryVersion(*canary, share);
    if (!loaded.ok()) return loaded.status();
    model = *std::move(loaded);
  }
  const std::string serving = known->second.model_directory;
  const absl::Status kept = Keep([&](DesiredModels* desired) {
    DesiredModel& entry = desired->models[name];
    bool is_configured = false;
    BaseOf(name, &is_configured);
    if (entry.directory.empty() && !is_configured) entry.directory = serving;
    if (directory.empty() && entry.canary.has_value()) {
      entry.canary->share = share;
    } else {
      entry.canary = {canary_settings_[name].model_directory, settings, share};
    }
  });
  if (!kept.ok()) return kept;
  return ModelTable::Canary{std::move(model), share};
}

absl::StatusOr<ModelManager::CanaryEnded> ModelManager::EndCanary(const std::string& name,
                                                                  bool promote) {
  if (!settings_.contains(name)) return NoSuchModel(name);
  const std::optional<ModelTable::Canary> canary = table_->FindCanary(name);
  if (!canary.has_value()) {
    return absl::NotFoundError(
        absl::StrCat("name: found ", Quoted(name), ", which has no canary, expected one that has"));
  }
  if (absl::Status status = CheckKeeps(); !status.ok()) return status;
  const ModelPtr before = table_->Find(name);
  CanaryEnded ended;
  if (promote) {
    absl::StatusOr<ModelPtr> promoted = table_->PromoteCanary(name, metrics_->ForModel(name));
    if (!promoted.ok()) return promoted.status();
    ended.model = *std::move(promoted);
    ended.calls_left = before == nullptr ? 0 : before->engine->jobs_in_flight();
    settings_[name] = canary_settings_[name];
  } else {
    table_->WithdrawCanary(name);
    ended.model = before;
    ended.calls_left = canary->model->engine->jobs_in_flight();
  }
  const std::string directory = canary_settings_[name].model_directory;
  canary_settings_.erase(name);
  Log(LogLevel::kInfo, promote ? "canary promoted" : "canary withdrawn",
      {{"model", name}, {"version", canary->model->version}, {"calls_left", ended.calls_left}});
  const absl::Status kept = Keep([&](DesiredModels* desired) {
    DesiredModel& entry = desired->models[name];
    if (promote) {
      entry.directory = directory;
      if (entry.canary.has_value()) {
        for (const auto& [key, value] : entry.canary->settings) entry.settings[key] = value;
      }
    }
    entry.canary.reset();
    if (entry == DesiredModel()) desired->models.erase(name);
  });
  if (!kept.ok()) return kept;
  return ended;
}

}  // namespace dragoman
