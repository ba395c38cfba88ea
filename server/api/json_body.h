// JSON bodies of requests: parsed under limits, and their fields read with errors that name them.
//
// Readers leave `out` as it is where the field is missing or null, and return INVALID_ARGUMENT,
// naming the field, what was found and what was expected, where it is something else. Pure
// functions, thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/transport/http_message.h"

namespace dragoman::server {

// The body as a JSON value, whatever its Content-Type says. INVALID_ARGUMENT for a body that is
// not JSON in UTF-8, or is more deeply nested or has more values than any dialect needs.
absl::StatusOr<nlohmann::json> ParseJsonBody(const HttpRequest& request);
// The same, and it is an object.
absl::StatusOr<nlohmann::json> ParseJsonObject(const HttpRequest& request);

// JSON text with U+FFFD in place of escapes that are half of a surrogate pair, which JavaScript
// writes where a text was cut within an emoji. Nothing: there are none.
std::optional<std::string> WithoutLoneSurrogates(std::string_view text);

// Calls `visit` with each field of the JSON object `text`, until `visit` returns false. The arguments are the
// name as it is written, and the value: a string with its quotes, or the first character of any other value.
// It builds nothing and checks little, because the client may turn out to have no key. Time is linear, about
// a nanosecond a byte.
void ScanObject(std::string_view text,
                const std::function<bool(std::string_view name, std::string_view value)>& visit);

// The text of one field, found by ScanObject; "" where there is none, or it is no text.
std::string ScanTextField(std::string_view text, std::string_view name);

// The field of an object; nullptr where it is missing or null.
const nlohmann::json* FindField(const nlohmann::json& object, std::string_view name);

// "a string", "a list": the kind of a value, for messages.
std::string KindOf(const nlohmann::json& value);

absl::Status ReadField(const nlohmann::json& object, std::string_view name,
                       std::optional<std::string>* out);
absl::Status ReadField(const nlohmann::json& object, std::string_view name,
                       std::optional<bool>* out);
// A whole number; 1.0 is one.
absl::Status ReadField(const nlohmann::json& object, std::string_view name,
                       std::optional<int64_t>* out);
absl::Status ReadField(const nlohmann::json& object, std::string_view name,
                       std::optional<double>* out);
// A list of strings, or one string.
absl::Status ReadField(const nlohmann::json& object, std::string_view name,
                       std::optional<std::vector<std::string>>* out);

// UNIMPLEMENTED naming the fields of `object` that are not `known`.
absl::Status CheckFields(const nlohmann::json& object,
                         std::initializer_list<std::string_view> known);

// INVALID_ARGUMENT unless the request says that its body is application/json. Without looking for
// permission first, a page of another site may send bodies of other types (the simple requests of
// the Fetch standard).
absl::Status CheckJsonType(const HttpRequest& request);

}  // namespace dragoman::server
