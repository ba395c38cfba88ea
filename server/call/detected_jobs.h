// A request whose items' languages are to be detected, as the jobs that it comes to.
//
// Pure but for the draw of a seed; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/api/engine.h"
#include "server/call/detect/language_detector.h"
#include "server/models/joint_job.h"
#include "server/models/served_model.h"

namespace dragoman::server {

// The language that was found of an item, and where the item goes.
struct DetectedItem {
  std::string language;   // "": unknown
  double confidence = 0;  // 0 as well for a word that the only source was assumed for
  std::string model;  // "": the item comes back as it is
};

struct DetectedJobs {
  std::vector<DetectedItem> items;       // by index
  std::vector<JobPart> parts;            // one for each language and model
  std::vector<engine::ItemResult> done;  // items that come back as they are
  std::vector<std::string> models;       // names of the parts' models, each once
};

// `models`: those that the client may use. `model`: the name in the request, or "". An item goes to
// the model to which a request with its language would go. The errors are those of such a request.
absl::StatusOr<DetectedJobs> DetectJobs(const LanguageDetector& detector,
                                        const std::vector<ModelPtr>& models, std::string_view model,
                                        engine::TranslationJob job);

}  // namespace dragoman::server
