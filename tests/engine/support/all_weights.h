// All weights of a model at once, for tests that inspect or change them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/layouts/model_source.h"
#include "tests/engine/network/ops_of.h"

namespace dragoman::engine {

inline absl::StatusOr<WeightValues> ReadAllWeights(const LoadedModel& model) {
  WeightValues values;
  for (size_t i = 0; i < model.program.weights.size(); ++i) {
    const Weight& weight = model.program.weights[i];
    values.emplace_back(static_cast<size_t>(weight.elements()));
    absl::Status status =
        model.weights->Read(static_cast<WeightId>(i), 0, weight.rows, values.back().data());
    if (!status.ok()) return status;
  }
  if (absl::Status status = model.weights->Check(); !status.ok()) return status;
  return values;
}

// Opens a directory and reads every weight. Returns the errors of starting an engine.
inline absl::StatusOr<LoadedModel> LoadAndRead(const std::string& directory) {
  absl::StatusOr<LoadedModel> model = LoadModel(directory);
  if (!model.ok()) return model;
  const absl::StatusOr<WeightValues> weights = ReadAllWeights(*model);
  return weights.ok() ? std::move(model) : weights.status();
}

// Ends the process if the weights cannot be read.
inline WeightValues AllWeights(const LoadedModel& model) { return *ReadAllWeights(model); }

inline std::vector<float> WeightOf(const LoadedModel& model, WeightId id) {
  return AllWeights(model)[static_cast<size_t>(id)];
}

// Ends the process if no weight has this name.
inline std::vector<float> WeightOf(const LoadedModel& model, std::string_view name) {
  return AllWeights(model).at(static_cast<size_t>(FindWeight(model.program, name)));
}

}  // namespace dragoman::engine
