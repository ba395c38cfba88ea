// HTTP statuses of errors, and errors as JSON for requests that belong to no dialect.
//
// Pure functions, thread-safe.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "server/transport/http_message.h"

namespace dragoman::server {

// Returns the HTTP status of a code.
//    OK 200
//    INVALID_ARGUMENT, FAILED_PRECONDITION and OUT_OF_RANGE 400
//    UNAUTHENTICATED 401, PERMISSION_DENIED 403, NOT_FOUND 404
//    ALREADY_EXISTS and ABORTED 409
//    RESOURCE_EXHAUSTED 429, CANCELLED 499
//    UNIMPLEMENTED 501, UNAVAILABLE 503, DEADLINE_EXCEEDED 504
//    all others 500
int StatusOfHttp(absl::StatusCode code);

// Returns the code under which metrics count an HTTP status. This is the code for which
// StatusOfHttp returns the status. If there is none: UNIMPLEMENTED for 405 and 505,
// DEADLINE_EXCEEDED for 408, INVALID_ARGUMENT for other 4xx and INTERNAL for other 5xx.
absl::StatusCode CodeOfHttp(int status);

// Returns an error that HTTP defines, such as 413. It keeps its HTTP status in every dialect. Its
// code is CodeOfHttp(http_status). REQUIRES: http_status >= 400.
absl::Status HttpError(int http_status, std::string_view message);
bool IsHttpError(const absl::Status& status);

// Returns the HTTP status of `status` if it is an HttpError, else the HTTP status of its code.
int StatusOfHttp(const absl::Status& status);

// Returns {"code": 400, "message": "...", "status": "INVALID_ARGUMENT", "details": [...]}, the form
// of Google's APIs. "details" is absent if there are none. The code is that of StatusOfHttp.
nlohmann::json ErrorObject(const absl::Status& status);

// Returns an answer whose body is {"error": ErrorObject}.
HttpResponse NeutralError(const absl::Status& status);

// Return an answer with a JSON body. JsonResponse replaces invalid UTF-8 with U+FFFD.
HttpResponse JsonResponse(int status, const nlohmann::json& body);
HttpResponse JsonTextResponse(int status, std::string body);
std::string DumpJson(const nlohmann::json& value);

}  // namespace dragoman::server
