// The content type of bodies that are JSON.
//
// Pure, thread-safe.
#pragma once

#include "absl/status/status.h"
#include "server/transport/http_message.h"

namespace dragoman {

// INVALID_ARGUMENT unless the request says that its body is application/json. Without looking for
// permission first, a page of another site may send bodies of other types (the simple requests of
// the Fetch standard).
absl::Status CheckJsonType(const HttpRequest& request);

}  // namespace dragoman
