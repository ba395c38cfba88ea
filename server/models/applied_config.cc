// Defines ModelManager::Apply (model_manager.h), which applies a configuration that was read again.
#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/base/log.h"
#include "server/base/quoted.h"
#include "server/models/model_manager.h"

namespace dragoman::server {
namespace {

using ChangeKind = ModelChange::Kind;

ModelChange Failed(const std::string& name, const ModelPtr& serving, absl::Status status) {
  return {name, ChangeKind::kFailed, serving == nullptr ? 0 : serving->version, std::move(status)};
}

bool Has(const std::vector<PivotSettings>& pivots, const PivotSettings& pivot) {
  return std::find(pivots.begin(), pivots.end(), pivot) != pivots.end();
}

}  // namespace

ModelChange ModelManager::Adopt(const ModelSettings& model) {
  const std::string& name = model.model_name;
  const auto known = applied_.find(name);
  const bool was_served = settings_.contains(name);
  if (known != applied_.end() && SameSettings(known->second, model)) {
    // UnloadModel may have removed the model, which then stays removed.
    return was_served ? Refresh(name) : ModelChange{.name = name, .kind = ChangeKind::kUnchanged};
  }
  const absl::StatusOr<ModelPtr> loaded = Replace(model);
  if (!loaded.ok()) return Failed(name, table_->Find(name), loaded.status());
  applied_[name] = model;
  return {name, was_served ? ChangeKind::kReloaded : ChangeKind::kLoaded, (*loaded)->version, {}};
}

ModelChange ModelManager::Refresh(const std::string& name) {
  const absl::StatusOr<Reloaded> model = Reload(name, true);
  if (!model.ok()) return Failed(name, table_->Find(name), model.status());
  const int version = model->model->version;
  if (model->changed) return {name, ChangeKind::kReloaded, version, {}};  // includes its glossaries
  const absl::Status glossaries = ReloadGlossariesOf(*model->model);
  if (glossaries.ok()) {
    Log(LogLevel::kInfo, "glossaries reloaded", {{"model", name}});
    return {name, ChangeKind::kUnchanged, version, {}};
  }
  Log(LogLevel::kError, "glossaries not reloaded, the old ones stay in use",
      {{"model", name}, {"error", std::string(glossaries.message())}});
  return Failed(name, model->model, glossaries);
}

absl::Status ModelManager::SetPivots(const ServerConfig& config,
                                     std::vector<PivotSettings> pivots) {
  std::vector<std::string> names;
  for (const ModelSettings& model : config.models) names.push_back(model.model_name);
  for (const PivotSettings& pivot : pivots) {
    if (!settings_.contains(pivot.name)) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("pivot: found ", Quoted(pivot.name),
                     ", which is a model that is served, expected another name"));
  }
  absl::Status status = table_->Configure(std::move(names), pivots);
  if (!status.ok()) return status;
  pivots_ = std::move(pivots);
  std::set<std::string> present;
  for (const PivotSettings& pivot : pivots_) {
    present.insert(pivot.name);
    auto& series = pivot_series_[pivot.name];
    if (series == nullptr) series = metrics_->ForPivot(pivot.name);
  }
  std::erase_if(pivot_series_, [&](const auto& one) { return !present.contains(one.first); });
  return absl::OkStatus();
}

std::vector<ModelChange> ModelManager::Apply(const ServerConfig& config) {
  defaults_ = config;
  std::vector<ModelChange> changes;
  // Removes old pivots first, because a new version of a model need not fit an old pivot.
  std::vector<PivotSettings> staying;
  for (const PivotSettings& pivot : pivots_) {
    if (Has(config.pivots, pivot)) staying.push_back(pivot);
  }
  absl::Status pivots = SetPivots(config, std::move(staying));
  std::set<std::string> configured;
  for (const ModelSettings& model : config.models) {
    if (gives_up_.load()) return changes;
    configured.insert(model.model_name);
    changes.push_back(Adopt(model));
  }
  // Loads models before it removes others, because the last model cannot be removed.
  std::vector<std::string> gone;
  for (const auto& [name, settings] : applied_) {
    if (!configured.contains(name)) gone.push_back(name);
  }
  for (const std::string& name : gone) {
    if (settings_.contains(name)) {
      const absl::StatusOr<int64_t> calls = TakeOut(name);
      if (!calls.ok()) {
        configured.insert(name);
        changes.push_back(Failed(name, table_->Find(name), calls.status()));
        continue;
      }
      changes.push_back({name, ChangeKind::kUnloaded, 0, {}});
    }
    applied_.erase(name);
  }
  // Refreshes the models that LoadModel has added, too.
  std::vector<std::string> added;
  for (const auto& [name, settings] : settings_) {
    if (!configured.contains(name)) added.push_back(name);
  }
  for (const std::string& name : added) {
    if (gives_up_.load()) return changes;
    changes.push_back(Refresh(name));
  }
  if (pivots.ok()) pivots = SetPivots(config, config.pivots);
  if (!pivots.ok()) {
    Log(LogLevel::kError, "pivots not changed", {{"error", std::string(pivots.message())}});
    changes.push_back(Failed("--pivot", nullptr, pivots));
  }
  const auto count = [&changes](ChangeKind kind) {
    return std::count_if(changes.begin(), changes.end(),
                         [kind](const ModelChange& change) { return change.kind == kind; });
  };
  Log(LogLevel::kInfo, "configuration applied",
      {{"unchanged", count(ChangeKind::kUnchanged)},
       {"loaded", count(ChangeKind::kLoaded)},
       {"reloaded", count(ChangeKind::kReloaded)},
       {"unloaded", count(ChangeKind::kUnloaded)},
       {"failed", count(ChangeKind::kFailed)}});
  return changes;
}

}  // namespace dragoman::server
