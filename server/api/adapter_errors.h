// The HTTP statuses of errors, and errors as JSON for requests that no dialect claims.
//
// Pure functions, thread-safe.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "server/transport/http_message.h"

namespace dragoman::server {

// INVALID_ARGUMENT, FAILED_PRECONDITION and OUT_OF_RANGE 400, UNAUTHENTICATED 401,
// PERMISSION_DENIED 403, NOT_FOUND 404, ALREADY_EXISTS and ABORTED 409, RESOURCE_EXHAUSTED 429,
// CANCELLED 499, INTERNAL and the rest 500, UNIMPLEMENTED 501, UNAVAILABLE 503,
// DEADLINE_EXCEEDED 504; OK 200.
int StatusOfHttp(absl::StatusCode code);

// The code that metrics have for an answer with this HTTP status: StatusOfHttp backwards, and
// UNIMPLEMENTED for 405 and 505, DEADLINE_EXCEEDED for 408, INVALID_ARGUMENT for other statuses from
// 400 on, INTERNAL for others from 500 on.
absl::StatusCode CodeOfHttp(int status);

// An error of HTTP itself (413, say), which has this status in every dialect. Its code is that of
// CodeOfHttp. REQUIRES: http_status >= 400.
absl::Status HttpError(int http_status, std::string_view message);
bool IsHttpError(const absl::Status& status);

// The status of HttpError, or that of the code.
int StatusOfHttp(const absl::Status& status);

// {"code": 400, "message": "...", "status": "INVALID_ARGUMENT", "details": [...]}, as Google's APIs
// write an error; no "details" where there are none. The code is that of StatusOfHttp.
nlohmann::json ErrorObject(const absl::Status& status);

// {"error": ErrorObject}.
HttpResponse NeutralError(const absl::Status& status);

// An answer with a JSON body. Text that is not UTF-8, which can come only from outside, is written
// with replacement characters.
HttpResponse JsonResponse(int status, const nlohmann::json& body);
std::string DumpJson(const nlohmann::json& value);

}  // namespace dragoman::server
