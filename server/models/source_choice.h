// The languages that texts may be in whose language is detected: those that the models translate
// from, and those that they translate into.
//
// Pure functions over the table's present models, thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/models/served_model.h"

namespace dragoman::server {

struct SourceChoice {
  std::string target;  // as asked for; where that was "", the only one that the models have
  // Codes, each once: the target, and every source of a model that translates into it.
  std::vector<std::string> candidates;
};

// `models` as for RouteRequest; `name` and `target` are the request's, which may be "". `known`
// stands for the sources of a model that takes any.
//
// The errors are RouteRequest's: NOT_FOUND for an unknown name, INVALID_ARGUMENT where no model
// translates into `target`. INVALID_ARGUMENT as well for no target where there are several.
absl::StatusOr<SourceChoice> ChooseSources(const std::vector<ModelPtr>& models,
                                           std::string_view name, std::string_view target,
                                           const std::vector<std::string>& known);

// The languages of the models, sources first, each once.
std::vector<std::string> AllLanguages(const std::vector<ModelPtr>& models,
                                      const std::vector<std::string>& known);

}  // namespace dragoman::server
