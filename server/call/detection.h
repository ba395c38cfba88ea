// The languages of texts, as DetectLanguage answers, over any transport.
//
// Thread-safe. Takes microseconds for each text, on the caller's thread.
#pragma once

#include "absl/status/statusor.h"
#include "dragoman/v1/translation.pb.h"
#include "server/call/api_keys.h"
#include "server/call/call_context.h"

namespace dragoman::server {

// `client`: that of the call's API key, whose models and characters per minute count; nullptr where
// calls need none. The errors are those of the contract. REQUIRES: the request's strings are UTF-8.
absl::StatusOr<v1::DetectLanguageResponse> DetectLanguages(const CallContext& context,
                                                           Client* client,
                                                           const v1::DetectLanguageRequest& in);

// UNIMPLEMENTED, naming what the request asks for, of a server that detects no languages.
absl::Status NoDetection(const char* what);

}  // namespace dragoman::server
