// Divides a request whose source languages have to be detected into jobs.
//
// Pure, except that it draws a seed. Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/api/engine.h"
#include "server/call/detect/language_detector.h"
#include "server/models/composite_job.h"
#include "server/models/served_model.h"

namespace dragoman::server {

// The detected language of an item, and the model that translates the item.
struct DetectedItem {
  std::string language;   // "": unknown
  double confidence = 0;  // 0 also if a single word gets the models' only source language
  std::string model;      // "": the item is returned unchanged
};

struct DetectedJobs {
  std::vector<DetectedItem> items;       // by the item's index in the request
  std::vector<JobPart> parts;            // one for each language and model
  std::vector<engine::ItemResult> done;  // items that are returned unchanged
  std::vector<std::string> models;       // names of the parts' models, without duplicates
};

// Detects the language of each item and prepares a plan for each language and model. `models` are
// those that the client may use. `model` is the name in the request, or "". An item goes to the
// model that would translate a request with the item's language as its source language. The errors
// are those of such a request.
absl::StatusOr<DetectedJobs> DetectJobs(const LanguageDetector& detector,
                                        const std::vector<ModelPtr>& models, std::string_view model,
                                        engine::TranslationJob job);

}  // namespace dragoman::server
