// NVIDIA Riva's translation service in terms of our own: conversions between the messages of the
// two.
//
// What its fields mean here:
//   model              "" is the model that has the two languages
//   source_language,   must be given
//   target_language
//   dnt_phrases        each is split at commas; "A##B" is a term, "A" and "A##" stay as they are
//   max_len_variation  the most tokens by which a translation may be longer than its source: with
//                      it, decoding.max_length_ratio is 1 and max_length_extra that number
//   id                 echoed
// Texts are plain text. An item that fails makes its call fail.
//
// Pure functions of their arguments and of what is served; thread-safe.
#pragma once

#include "absl/status/statusor.h"
#include "dragoman/v1/translation.pb.h"
#include "nvidia/riva/nmt/riva_nmt.pb.h"
#include "server/call/call_context.h"

namespace dragoman::server {

namespace riva = nvidia::riva::nmt;

// INVALID_ARGUMENT names what is wrong by Riva's names.
absl::StatusOr<v1::TranslateRequest> FromRiva(const riva::TranslateTextRequest& in);

// The answer to `request`. An error is that of an item.
absl::StatusOr<riva::TranslateTextResponse> ToRiva(const v1::TranslateResponse& answer,
                                                   const riva::TranslateTextRequest& request);

// The languages of the model that is named, or of each. UNAVAILABLE while there is none, NOT_FOUND
// for an unknown one.
absl::StatusOr<riva::AvailableLanguageResponse> PairsOfRiva(
    const riva::AvailableLanguageRequest& in, const CallContext& calls, const Client* client);

}  // namespace dragoman::server
