// nvidia.riva.nmt.RivaTranslation on top of our own service, and the conversions between the
// messages of NVIDIA Riva's translation service and our own.
//
// The meaning of fields:
//   model              "" is the model that has the two languages
//   source_language,   must be given
//   target_language
//   dnt_phrases        each is split at commas; "A##B" is a term, "A" and "A##" stay unchanged
//   max_len_variation  the maximum number of tokens by which a translation may be longer than its
//                      source: max_length_extra, with decoding.max_length_ratio 1
//   id                 echoed
// Texts are plain text. If an item fails, the call fails.
//
// Thread-safe. The conversions are pure functions of their arguments and of the served models. The
// service's reactions never block.
#pragma once

#include "absl/status/statusor.h"
#include "dragoman/v1/translation.pb.h"
#include "nvidia/riva/nmt/riva_nmt.pb.h"
#include "server/api/call_reactor.h"
#include "server/api/raw_service.h"
#include "server/call/call_context.h"

namespace dragoman::server {

namespace riva = nvidia::riva::nmt;

// Converts a request to ours. INVALID_ARGUMENT has Riva's field names.
absl::StatusOr<v1::TranslateRequest> FromRiva(const riva::TranslateTextRequest& in);

// Converts the answer to `request`. Returns the first error of an item.
absl::StatusOr<riva::TranslateTextResponse> ToRiva(const v1::TranslateResponse& answer,
                                                   const riva::TranslateTextRequest& request);

// Returns the languages of the named model, or of every model if none is named. UNAVAILABLE while
// there is no model. NOT_FOUND if the named model is unknown.
absl::StatusOr<riva::AvailableLanguageResponse> PairsOfRiva(
    const riva::AvailableLanguageRequest& in, const CallContext& calls, const Client* client);

class RivaService final : public RawService {
 public:
  static constexpr char kName[] = "nvidia.riva.nmt.RivaTranslation";

  // `context` outlives the service.
  explicit RivaService(const ServiceContext* context);
};

}  // namespace dragoman::server
