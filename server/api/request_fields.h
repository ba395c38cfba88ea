// Reads parameters that are sent as JSON or as a form into one JSON object.
//
// Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/api/form.h"
#include "server/transport/http_message.h"

namespace dragoman::server {

// Returns the object of a JSON body. Some clients send it as text/plain. If the body is not JSON,
// returns the fields of the query and of the form. Each field is a string, or a list of strings if
// it occurs more than once. INVALID_ARGUMENT names the problem, also for a body that is neither
// JSON nor a form.
absl::StatusOr<nlohmann::json> ReadRequestFields(const HttpRequest& request);

// Returns the fields of a form as an object. "name[]" means a list "name".
nlohmann::json FormAsObject(const Form& form);

// Like ReadField of json_body.h, but values may also be text: "2", "1", "true", "0", "false".
absl::Status ReadFormField(const nlohmann::json& object, std::string_view name,
                           std::optional<int64_t>* out);
absl::Status ReadFormField(const nlohmann::json& object, std::string_view name,
                           std::optional<bool>* out);
// Reads a list of strings. A string with commas counts as several strings.
absl::Status ReadCommaList(const nlohmann::json& object, std::string_view name,
                           std::optional<std::vector<std::string>>* out);

// Returns the key of the header "Authorization: SCHEME KEY"; "" if there is none or the scheme is
// another. The case of `scheme` does not matter.
std::string AuthorizationKey(const HttpRequest& request, std::string_view scheme);

// Returns the text of a field that may have a key. Returns "" if the field is missing or not a
// string. Scans the body instead of parsing it, because the client may have no key. Errors in the
// body are reported later.
std::string TextOfField(const HttpRequest& request, std::string_view name);
// Does what TextOfField does, but only for the body. The logs of proxies have queries, so a query
// must not have a key.
std::string BodyTextField(const HttpRequest& request, std::string_view name);

// Returns the fields of a request, so that an adapter can distinguish dialects. Scans a JSON body
// (ScanObject), so that a request without a key costs little. For a JSON body, the result has empty
// values of the same kinds ("", [], {}, true) in place of the values. Returns {} for a malformed
// form.
nlohmann::json ShapeOfRequest(const HttpRequest& request);

// Reports whether the field exists and is not null.
bool HasField(const nlohmann::json& object, std::string_view name);

}  // namespace dragoman::server
