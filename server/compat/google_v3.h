// google.cloud.translation.v3.TranslationService on top of our own service, and the conversions
// between the messages of Google's Cloud Translation v3 and our own. google_rest.h uses them too.
//
// The meaning of fields:
//   parent                  echoed in the names of glossaries; this server has no projects
//   mime_type               "" is text/html
//   model                   the last part of the path; general/nmt, general/base and
//                           general/translation-llm are the default model
//   source_language_code    "" is detected. If the server detects no languages, "" is allowed for
//                           a model with one source language
//   glossary_config         the glossary's name is the last part of the path. `translations` and
//                           `glossary_translations` both have the translation with the glossary,
//                           so nothing is decoded twice. contextual_translation_enabled is refused
//   transliteration_config  refused if it enables transliteration
//   labels                  written to the log, like our own
// If an item fails, the call fails, because Google's answer has no field for its error.
//
// Thread-safe. The conversions are pure functions of their arguments and of the served models. The
// service's reactions never block.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "dragoman/v1/translation.pb.h"
#include "google/cloud/translate/v3/translation_service.pb.h"
#include "server/api/call_reactor.h"
#include "server/api/language_catalog.h"
#include "server/api/raw_service.h"
#include "server/call/call_context.h"

namespace dragoman::server {

namespace google_v3 = google::cloud::translation::v3;

// Converts a request to ours. UNIMPLEMENTED names refused fields.
absl::StatusOr<v1::TranslateRequest> FromGoogleV3(const google_v3::TranslateTextRequest& in,
                                                  bool can_detect);

// Converts the answer to `request`. Returns the first error of an item.
absl::StatusOr<google_v3::TranslateTextResponse> ToGoogleV3(
    const v1::TranslateResponse& answer, const google_v3::TranslateTextRequest& request);

// Converts a request to detect the language of `content`, whose default type is text/plain.
// UNIMPLEMENTED for `model`, which names one of Google's detectors.
absl::StatusOr<v1::DetectLanguageRequest> DetectFromGoogleV3(
    const google_v3::DetectLanguageRequest& in);

// Returns the languages of the text, best first; "und" with confidence 0 if none was found.
google_v3::DetectLanguageResponse DetectToGoogleV3(const v1::DetectLanguageResponse& answer);

// Returns the languages of the named model, or of all that the client sees, with names in
// display_language_code if it is given. UNAVAILABLE while there is no model.
absl::StatusOr<google_v3::SupportedLanguages> SupportedGoogleV3(
    const google_v3::GetSupportedLanguagesRequest& in, const CallContext& calls,
    const Client* client, const LanguageCatalog& languages);

// Returns the glossaries that the client sees, sorted by name. page_token is the last name on the
// previous page.
absl::StatusOr<google_v3::ListGlossariesResponse> ListGoogleV3(
    const google_v3::ListGlossariesRequest& in, const CallContext& calls, const Client* client);
// Returns a glossary. NOT_FOUND if it is unknown.
absl::StatusOr<google_v3::Glossary> GetGoogleV3(const google_v3::GetGlossaryRequest& in,
                                                const CallContext& calls, const Client* client);

// Returns INVALID_ARGUMENT for a code of more than 64 bytes.
absl::Status CheckDisplayLanguage(const std::string& field, std::string_view code);

// Returns our model for Google's path (v3) or word (v2); "" is the default model.
std::string ModelOfGoogle(const std::string& path);

class GoogleService final : public RawService {
 public:
  static constexpr char kName[] = "google.cloud.translation.v3.TranslationService";

  // `context` outlives the service.
  explicit GoogleService(const ServiceContext* context);

 private:
  const LanguageCatalog languages_;
};

}  // namespace dragoman::server
