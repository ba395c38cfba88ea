// Documents of jobs in the bodies of HTTP requests and answers.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "dragoman/v1/translation.pb.h"
#include "server/call/call_context.h"
#include "server/transport/http_message.h"

namespace dragoman::server {

// Creates a job with its document. Sets the request's size.
absl::StatusOr<v1::Job> CreateJobWith(const CallContext& calls, const Client* client,
                                      v1::CreateJobRequest request, std::string_view document);

// Returns the translated document as an answer that is read while it is sent. Returns
// FAILED_PRECONDITION if the job is not DONE.
absl::StatusOr<HttpResponse> ResultOfJob(const CallContext& calls, const Client* client,
                                         const v1::Job& job);

}  // namespace dragoman::server
