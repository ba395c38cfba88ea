// Chooses the model for a request: the one that the request names, or one that has its languages.
//
// Pure functions over the table's present models. Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/models/served_model.h"

namespace dragoman::server {

struct Route {
  ModelPtr model;
  // The request's languages. They have the model's codes if they decided the choice of the model,
  // else those of the request.
  engine::LanguagePair languages;
};

// Chooses among `models`, in the order of their table. REQUIRES: `models` is not empty.
//
// With a name, returns that model, or NOT_FOUND with the names that exist. Without a name, returns
// the first model that translates between the languages, or INVALID_ARGUMENT with the language
// pairs. One language may be empty; if both are, returns the default. If `models` has only one
// model, returns it without checking its languages, because its engine's error is clearer.
absl::StatusOr<Route> RouteRequest(const std::vector<ModelPtr>& models, std::string_view name,
                                   std::string_view source_language,
                                   std::string_view target_language);

// Finds a model by name; "" is the default. NOT_FOUND with the names that exist.
absl::StatusOr<ModelPtr> FindModel(const std::vector<ModelPtr>& models, std::string_view name);

}  // namespace dragoman::server
