// Converts protobuf messages to and from proto3 JSON, the format of the server's REST API.
//
// Writes with protobuf's json_util, but does not read with it: json_util stops at the first error,
// names no fields, takes the last of two values of a field, and repairs invalid UTF-8.
//
// Pure functions, thread-safe.
#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace dragoman::server {

// The size of the longest JSON that is read. This is ten times the size of the largest allowed
// request in which every character is escaped.
inline constexpr size_t kMaxJsonBytes = 16 << 20;

// Reads `text` into the empty `message`. Fields may have their JSON names (sourceLanguageCode) or
// those of the proto (source_language_code). null means unset. Numbers of 64 bits may be strings.
// Bytes are base64.
//
// INVALID_ARGUMENT has a violation for each error, with the field's proto name
// ("decoding.beam_size"). Errors are: no JSON, invalid UTF-8, unknown or repeated fields, and
// values of a wrong type. Over gRPC, an unknown field is UNIMPLEMENTED. Here it is
// INVALID_ARGUMENT, because its name may be a spelling mistake. REQUIRES: no field of `message`'s
// type, at any depth, is a group, a map of messages or one of protobuf's own types with a special
// JSON form.
absl::Status ReadProtoJson(std::string_view text, google::protobuf::Message* message);

// Returns the message as JSON on one line. Writes every field, even if it has its default value.
// Omits only `optional` fields and messages that are not set.
std::string WriteProtoJson(const google::protobuf::Message& message);

}  // namespace dragoman::server
