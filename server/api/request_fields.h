// The parameters of dialects that take them as JSON or as a form: one JSON object of both.
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

// With a body of application/json that, which is an object, and so with one of text/plain, under
// which some clients send JSON; else the fields of the query and of the form, each a string, or a
// list of strings if it comes more than once.
// INVALID_ARGUMENT says what is wrong, also for a body that is neither JSON nor a form.
absl::StatusOr<nlohmann::json> ReadRequestFields(const HttpRequest& request);

// The fields of a form as an object. "name[]" stands for "name".
nlohmann::json FormAsObject(const Form& form);

// Like those of json_body.h, but in a form a number and a truth value are text: "2"; "1", "true",
// "0", "false".
absl::Status ReadFormField(const nlohmann::json& object, std::string_view name,
                           std::optional<int64_t>* out);
absl::Status ReadFormField(const nlohmann::json& object, std::string_view name,
                           std::optional<bool>* out);
// A list of strings, or one string with commas between them.
absl::Status ReadCommaList(const nlohmann::json& object, std::string_view name,
                           std::optional<std::vector<std::string>>* out);

// The text of a field, for keys: "" where it is missing or something else. The body is scanned and not
// parsed, because nobody knows yet whether the client has a key: whatever is wrong with it is told later.
std::string TextOfField(const HttpRequest& request, std::string_view name);
// The same of the body alone: what stands in a query ends up in the logs of proxies.
std::string BodyTextField(const HttpRequest& request, std::string_view name);

// The fields of a request with empty values of their kinds ("", [], {}, true), which is enough to tell
// dialects apart. It is found by a scan (ScanObject), so that a request without a key costs little; {} for
// a body that is not well-formed.
nlohmann::json ShapeOfRequest(const HttpRequest& request);

// Whether the field is there and not null.
bool HasField(const nlohmann::json& object, std::string_view name);

}  // namespace dragoman::server
