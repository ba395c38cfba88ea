// Chooses the candidate languages for language detection: languages that the models translate from
// or into.
//
// Pure functions over the table's present models. Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/models/served_model.h"

namespace dragoman::server {

struct SourceChoice {
  std::string target;  // the target of the request; if that is "", the models' only target
  // The target, and every source of the models that translate into it; each code once.
  std::vector<std::string> candidates;
};

// Chooses the candidates for a request with `name` and `target`, which may be "". `models` are as
// for RouteRequest. `known` replaces the sources of a model that accepts any source.
//
// NOT_FOUND for an unknown name. INVALID_ARGUMENT if no model translates into `target`, or if
// `target` is "" and the models do not have exactly one target.
absl::StatusOr<SourceChoice> ChooseSources(const std::vector<ModelPtr>& models,
                                           std::string_view name, std::string_view target,
                                           const std::vector<std::string>& known);

// Returns the languages of the models, sources first, each once.
std::vector<std::string> AllLanguages(const std::vector<ModelPtr>& models,
                                      const std::vector<std::string>& known);

}  // namespace dragoman::server
