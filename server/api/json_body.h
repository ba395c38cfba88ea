// Parses JSON bodies of requests under limits, and reads their fields.
//
// If the field is missing or null, ReadField leaves `out` unchanged. If it has another type,
// ReadField returns INVALID_ARGUMENT with the field, what was found and what was expected. Pure
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

// Parses the body as JSON, whatever its Content-Type. INVALID_ARGUMENT if it is not JSON in UTF-8,
// or has more nesting or more values than any dialect needs.
absl::StatusOr<nlohmann::json> ParseJsonBody(const HttpRequest& request);
// Parses the body like ParseJsonBody, but also requires an object.
absl::StatusOr<nlohmann::json> ParseJsonObject(const HttpRequest& request);

// Replaces each escape of an unpaired surrogate with U+FFFD. JavaScript writes such an escape if a
// text was cut inside an emoji. Returns nullopt if there are none.
std::optional<std::string> WithoutLoneSurrogates(std::string_view text);

// Calls `visit` for each field of the JSON object `text` until `visit` returns false. `name` is
// still escaped. `value` is a string with its quotes, or the first character of any other value.
// Builds no tree and checks little, because the client may have no key. Takes linear time, about
// 1 ns a byte.
void ScanObject(std::string_view text,
                const std::function<bool(std::string_view name, std::string_view value)>& visit);

// Finds the text of one field with ScanObject; "" if it is missing or not a string.
std::string ScanTextField(std::string_view text, std::string_view name);

// Returns the field of an object; nullptr if it is missing or null.
const nlohmann::json* FindField(const nlohmann::json& object, std::string_view name);

// Returns the kind of a value for messages: "a string", "a list".
std::string KindOf(const nlohmann::json& value);

absl::Status ReadField(const nlohmann::json& object, std::string_view name,
                       std::optional<std::string>* out);
absl::Status ReadField(const nlohmann::json& object, std::string_view name,
                       std::optional<bool>* out);
// Reads a whole number, such as 1 or 1.0.
absl::Status ReadField(const nlohmann::json& object, std::string_view name,
                       std::optional<int64_t>* out);
absl::Status ReadField(const nlohmann::json& object, std::string_view name,
                       std::optional<double>* out);
// Reads a list of strings, or one string.
absl::Status ReadField(const nlohmann::json& object, std::string_view name,
                       std::optional<std::vector<std::string>>* out);

// Returns UNIMPLEMENTED that names the fields of `object` that are not in `known`.
absl::Status CheckFields(const nlohmann::json& object,
                         std::initializer_list<std::string_view> known);

// Returns INVALID_ARGUMENT unless the Content-Type is application/json. Pages of other sites may
// send bodies of some other types without a preflight (the simple requests of the Fetch standard).
absl::Status CheckJsonType(const HttpRequest& request);

}  // namespace dragoman::server
