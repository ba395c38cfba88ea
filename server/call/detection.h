// Answers DetectLanguage, over any transport.
//
// Thread-safe. Runs on the caller's thread and takes microseconds for each text.
#pragma once

#include "absl/status/statusor.h"
#include "dragoman/v1/translation.pb.h"
#include "server/call/api_keys.h"
#include "server/call/call_context.h"

namespace dragoman::server {

// The models and the rate of `client` apply; it is nullptr if calls need no key. Errors are those
// of the contract. REQUIRES: the request's strings are UTF-8.
absl::StatusOr<v1::DetectLanguageResponse> DetectLanguages(const CallContext& context,
                                                           Client* client,
                                                           const v1::DetectLanguageRequest& in);

// Returns UNIMPLEMENTED, naming `what` was asked for, for a server that detects no languages.
absl::Status NoDetection(const char* what);

}  // namespace dragoman::server
