// Converts results of the engine to messages of the wire. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "dragoman/v1/translation.pb.h"
#include "engine/api/engine.h"
#include "server/models/model_table.h"
#include "server/models/served_model.h"

namespace dragoman::server {

// Fills the fields that `returns` asks for. A failed item has only index, model and error.
v1::Translation BuildTranslation(engine::ItemResult result, const engine::ReturnOptions& returns,
                                 const std::string& model);

// Converts the result of a job with targets. `scored` is what BuildTranslation made of it.
v1::PairScore BuildPairScore(v1::Translation scored);

v1::Timings BuildTimings(const engine::JobTimings& timings);

v1::StreamTranslateResponse BuildSegment(engine::SegmentUpdate update);

v1::Model BuildModel(const ServedModel& model, bool is_default);

// Builds the answer of ListModels. A model that takes no calls has only its name, version and
// state.
v1::ListModelsResponse BuildModels(const std::vector<ModelTable::Entry>& entries);

// Builds the languages of all `models` together.
v1::ListLanguagesResponse BuildLanguages(const std::vector<ModelPtr>& models);

// Collects the statuses of a call's items. If all items fail with the same code, the call fails
// with this code. Not thread-safe.
class ItemOutcomes {
 public:
  void Add(const absl::Status& status);
  // Returns the first failure if all items failed with the same code, otherwise OK.
  absl::Status CallStatus() const;

 private:
  std::optional<absl::Status> first_;
  bool alike_ = true;
};

}  // namespace dragoman::server
