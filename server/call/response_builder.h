// Results of the engine as messages of the wire. Pure functions; arguments are moved from.
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

// Fills what `returns` asks for. A failed item has index, model and error only.
v1::Translation BuildTranslation(engine::ItemResult result, const engine::ReturnOptions& returns,
                                 const std::string& model);

v1::Timings BuildTimings(const engine::JobTimings& timings);

v1::StreamTranslateResponse BuildSegment(engine::SegmentUpdate update);

v1::Model BuildModel(const ServedModel& model, bool is_default);

// An entry of a list of models: a model that takes no calls has only its name, version and state.
v1::Model BuildEntry(const ModelTable::Entry& entry, bool is_default);

// The languages of one model or of several together.
v1::ListLanguagesResponse BuildLanguages(const std::vector<ModelPtr>& models);

// Watches a call's items: if all of them fail with the same code, so does the call. Not
// thread-safe.
class ItemOutcomes {
 public:
  void Add(const absl::Status& status);
  // The common failure if every item failed with one code; OK otherwise.
  absl::Status CallStatus() const;

 private:
  std::optional<absl::Status> first_;
  bool alike_ = true;
};

}  // namespace dragoman::server
