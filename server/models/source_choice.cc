#include "server/models/source_choice.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/base/field_error.h"
#include "server/models/model_router.h"

namespace dragoman::server {
namespace {

// The maximum number of sources that CheckTarget tries. A few are enough, because multilingual
// models have each target for every source.
constexpr size_t kMostTries = 8;

constexpr size_t kListedTargets = 24;

class Codes {
 public:
  void Add(const std::string& code) {
    if (seen_.insert(code).second) list_.push_back(code);
  }
  void AddSources(const ServedModel& model, const std::vector<std::string>& known) {
    for (const std::string& source : model.languages.sources) {
      if (!source.empty()) {
        Add(source);
        continue;
      }
      for (const std::string& code : known) Add(code);
    }
  }
  std::vector<std::string> Take() { return std::move(list_); }
  const std::vector<std::string>& list() const { return list_; }

 private:
  std::unordered_set<std::string> seen_;
  std::vector<std::string> list_;
};

// Checks that the model translates into `target`. The error is that of the last source tried.
absl::Status CheckTarget(const ServedModel& model, std::string_view target) {
  absl::Status status = absl::OkStatus();
  const std::vector<std::string>& sources = model.languages.sources;
  for (size_t i = 0; i < std::min(kMostTries, sources.size()); ++i) {
    status = model.engine->FindLanguages(sources[i], target).status();
    if (status.ok()) break;
  }
  return status;
}

absl::StatusOr<std::string> OnlyTarget(const std::vector<ModelPtr>& models) {
  Codes targets;
  for (const ModelPtr& model : models) {
    for (const std::string& target : model->languages.targets) targets.Add(target);
  }
  const std::vector<std::string>& list = targets.list();
  if (list.size() == 1) return list.front();
  const size_t listed = std::min(kListedTargets, list.size());
  const auto end = list.begin() + static_cast<std::ptrdiff_t>(listed);
  return engine::InvalidRequest(
      {.field = "target_language_code",
       .found = "none with a source language that is to be detected",
       .expected = absl::StrCat(
           "one of ", absl::StrJoin(list.begin(), end, ", "),
           listed < list.size() ? absl::StrCat(" and ", list.size() - listed, " more") : "")});
}

}  // namespace

absl::StatusOr<SourceChoice> ChooseSources(const std::vector<ModelPtr>& models,
                                           std::string_view name, std::string_view target,
                                           const std::vector<std::string>& known) {
  std::vector<ModelPtr> asked = models;
  if (!name.empty()) {
    absl::StatusOr<ModelPtr> model = FindModel(models, name);
    if (!model.ok()) return model.status();
    asked = {*std::move(model)};
  }
  SourceChoice out;
  out.target = std::string(target);
  if (target.empty()) {
    absl::StatusOr<std::string> only = OnlyTarget(asked);
    if (!only.ok()) return only.status();
    out.target = *std::move(only);
  }
  Codes candidates;
  candidates.Add(out.target);
  bool found = false;
  absl::Status why;
  for (const ModelPtr& model : asked) {
    why = CheckTarget(*model, out.target);
    if (!why.ok()) continue;
    found = true;
    candidates.AddSources(*model, known);
  }
  if (!found) {
    // If only one model was asked, its own error is the clearest.
    const absl::Status all = RouteRequest(models, "", "", out.target).status();
    return asked.size() == 1 || all.ok() ? why : all;
  }
  out.candidates = candidates.Take();
  return out;
}

std::vector<std::string> AllLanguages(const std::vector<ModelPtr>& models,
                                      const std::vector<std::string>& known) {
  Codes codes;
  for (const ModelPtr& model : models) codes.AddSources(*model, known);
  for (const ModelPtr& model : models) {
    for (const std::string& target : model->languages.targets) codes.Add(target);
  }
  return codes.Take();
}

}  // namespace dragoman::server
