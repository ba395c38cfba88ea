#include "server/call/detection.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/call/client_rights.h"
#include "server/call/detect/detection_line.h"
#include "server/call/request_parser.h"
#include "server/call/violations.h"
#include "server/call/wire_check.h"
#include "server/models/model_router.h"
#include "server/models/source_choice.h"

namespace dragoman::server {
namespace {

constexpr size_t kMostLanguages = 8;
constexpr double kLeastShare = 0.01;

}  // namespace

absl::Status NoDetection(const char* what) {
  return absl::UnimplementedError(
      absl::StrCat(what, ": this server detects no languages (dragomand --language-model)"));
}

absl::StatusOr<v1::DetectLanguageResponse> DetectLanguages(const CallContext& context,
                                                           Client* client,
                                                           const v1::DetectLanguageRequest& in) {
  const auto reject = [&context](engine::RejectReason reason, absl::Status status) {
    context.metrics->OnRejected(reason);
    return status;
  };
  if (context.detector == nullptr) {
    return reject(engine::RejectReason::kUnsupported, NoDetection("DetectLanguage"));
  }
  Violations violations;
  violations.Unimplemented(UnknownFields(in));
  const int64_t code_points = CheckContents(in.contents(), context.limits, &violations);
  const engine::TextFormat format = ReadFormat(in.mime_type(), &violations);
  CheckModelName(in.model(), &violations);
  if (absl::Status status = violations.Status(); !status.ok()) {
    return reject(ReasonOf(status), std::move(status));
  }

  if (context.is_draining()) {
    return reject(engine::RejectReason::kDraining,
                  absl::UnavailableError("the server is draining"));
  }
  if (absl::Status loaded = CheckLoaded(context); !loaded.ok()) return loaded;
  std::vector<ModelPtr> models = VisibleModels(context, client);
  if (absl::Status allowed = CheckMayUse(client, in.model(), models); !allowed.ok()) {
    return reject(engine::RejectReason::kDenied, std::move(allowed));
  }
  if (!in.model().empty()) {
    absl::StatusOr<ModelPtr> model = FindModel(models, in.model());
    if (!model.ok()) return reject(engine::RejectReason::kInvalid, model.status());
    models = {*std::move(model)};
  }
  absl::Status rate = TakeRate(client, code_points, context.clock->Now());
  if (!rate.ok()) return reject(engine::RejectReason::kRate, std::move(rate));

  const auto choice = context.detector->Among(AllLanguages(models, context.detector->languages()));
  v1::DetectLanguageResponse out;
  for (const std::string& text : in.contents()) {
    v1::Detection* detection = out.add_detections();
    for (const DetectedLanguage& found : choice->Detect(TextToDetect(text, format))) {
      const bool enough = detection->languages_size() == static_cast<int>(kMostLanguages);
      if (enough || found.confidence < kLeastShare) break;
      v1::DetectedLanguage* language = detection->add_languages();
      language->set_language_code(found.language);
      language->set_confidence(static_cast<float>(found.confidence));
    }
  }
  return out;
}

}  // namespace dragoman::server
