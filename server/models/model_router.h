// Chooses the model that takes a request: the one that it names, or one that fits its languages.
//
// Pure functions over the table's present models, thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/models/served_model.h"

namespace dragoman::server {

// Where a request goes.
struct Route {
  ModelPtr model;
  // The engine's, for the job; nullptr where they were not asked for.
  std::shared_ptr<const engine::ResolvedLanguages> languages;
};

// `models` in the order of their table, the default first; not empty.
//
// With a name: that model, or NOT_FOUND naming those that exist. Without one: the first of
// `models` that translates between the languages, which need not both be given; if none does,
// INVALID_ARGUMENT listing all pairs. If there is only one model, it is taken without a look at its
// languages: the engine's own error is the clearest.
absl::StatusOr<Route> RouteRequest(const std::vector<ModelPtr>& models, std::string_view name,
                                   std::string_view source_language,
                                   std::string_view target_language);

// The same by name alone; "" is the default.
absl::StatusOr<ModelPtr> FindModel(const std::vector<ModelPtr>& models, std::string_view name);

}  // namespace dragoman::server
