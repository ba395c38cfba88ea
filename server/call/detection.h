// Answers DetectLanguage, over any transport.
//
// Thread-safe. Runs on the caller's thread and takes microseconds for each text.
#pragma once

#include "absl/status/statusor.h"
#include "dragoman/v1/translation.pb.h"
#include "server/call/api_keys.h"
#include "server/call/call_context.h"

namespace dragoman::server {

// Detects the languages of the texts among those of the models that `client` may use. Takes the
// texts' code points from the client's rate limit. `client` is nullptr if calls need no key. Errors
// are those that the proto documents. REQUIRES: the request's strings are UTF-8.
absl::StatusOr<v1::DetectLanguageResponse> DetectLanguages(const CallContext& context,
                                                           Client* client,
                                                           const v1::DetectLanguageRequest& in);

// Returns UNIMPLEMENTED for a server that detects no languages. The message begins with `what`, the
// method or value that asked for detection.
absl::Status NoDetection(const char* what);

}  // namespace dragoman::server
