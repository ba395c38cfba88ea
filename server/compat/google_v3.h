// Google's Cloud Translation v3 in terms of our own service: conversions between the messages of
// the two, for its gRPC (server/compat/google_service.h) and its REST (google_rest.h).
//
// What its fields mean here:
//   parent                  accepted, and echoed in the names of glossaries; this server has no projects
//   mime_type               "" is text/html
//   model                   the last part of the path; general/nmt, general/base and
//                           general/translation-llm are the default model
//   source_language_code    "" is detected, where the server detects languages; where it does not,
//                           it may be "" if the model has one source language
//   glossary_config         the glossary's name is the last part of the path. `translations` and
//                           `glossary_translations` both have the translation with the glossary:
//                           nothing is decoded twice. contextual_translation_enabled is refused
//   transliteration_config  refused if it enables transliteration
//   labels                  into the log, as ours
// An item that fails makes its call fail: an answer of Google's has no place for its error.
//
// Pure functions of their arguments and of what is served; thread-safe.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "dragoman/v1/translation.pb.h"
#include "google/cloud/translate/v3/translation_service.pb.h"
#include "server/api/language_catalog.h"
#include "server/call/call_context.h"

namespace dragoman::server {

namespace google_v3 = google::cloud::translation::v3;

// The request in ours. UNIMPLEMENTED names what is refused.
absl::StatusOr<v1::TranslateRequest> FromGoogleV3(const google_v3::TranslateTextRequest& in,
                                                  bool can_detect);

// The answer to `request`. An error is that of an item.
absl::StatusOr<google_v3::TranslateTextResponse> ToGoogleV3(
    const v1::TranslateResponse& answer, const google_v3::TranslateTextRequest& request);

// A request for the language of `content`, of which "" is text/plain. UNIMPLEMENTED for `model`,
// which names a detector of Google's.
absl::StatusOr<v1::DetectLanguageRequest> DetectFromGoogleV3(
    const google_v3::DetectLanguageRequest& in);

// The languages of the one text, best first; "und" with confidence 0 where none was found.
google_v3::DetectLanguageResponse DetectToGoogleV3(const v1::DetectLanguageResponse& answer);

// The languages of the model that is named, or of all that the client sees; their names in display_language_code, if
// that is given. UNAVAILABLE while there is no model.
absl::StatusOr<google_v3::SupportedLanguages> SupportedGoogleV3(
    const google_v3::GetSupportedLanguagesRequest& in, const CallContext& calls,
    const Client* client, const LanguageCatalog& languages);

// The glossaries of the models that the client sees, by name; page_token is the name that the last page ended with.
absl::StatusOr<google_v3::ListGlossariesResponse> ListGoogleV3(
    const google_v3::ListGlossariesRequest& in, const CallContext& calls, const Client* client);
// NOT_FOUND for an unknown one.
absl::StatusOr<google_v3::Glossary> GetGoogleV3(const google_v3::GetGlossaryRequest& in,
                                                const CallContext& calls, const Client* client);

// INVALID_ARGUMENT for a code that is longer than any is.
absl::Status CheckDisplayLanguage(const std::string& field, std::string_view code);

// The model of our service that Google's path (v3) or word (v2) names; "" is the default.
std::string ModelOfGoogle(const std::string& path);

}  // namespace dragoman::server
