// Messages of the contract as proto3 JSON, in which our own REST is spoken.
//
// Read here and not by protobuf's json_util, which stops at the first mistake and names neither its
// field nor what was expected, takes the last of two values of one field, and repairs text that is
// not UTF-8. Written by json_util.
//
// Pure functions, thread-safe.
#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace dragoman::server {

// JSON longer than this is refused. A request of max_code_points in max_items items, every one of
// them written as two escapes, has a tenth of it.
inline constexpr size_t kMaxJsonBytes = 16 << 20;

// Reads `text` into `message`, which is empty. Fields may have their JSON names (sourceLanguageCode)
// or those of the proto (source_language_code); null is unset; numbers of 64 bits may be strings.
//
// INVALID_ARGUMENT, with one violation for each mistake, names the fields as the proto does
// ("decoding.beam_size"): text that is not JSON or not UTF-8, fields that do not exist or are there
// twice, values of a wrong type. An unknown field is not UNIMPLEMENTED, as it is over gRPC, because
// a name may be misspelt and a number cannot.
// REQUIRES: no field of `message`'s type, at any depth, is bytes, a group, a map of messages or one
// of protobuf's own types with a JSON form of its own.
absl::Status ReadProtoJson(std::string_view text, google::protobuf::Message* message);

// The message as JSON, on one line. Every field is there, also with its default, but for those that
// know whether they are set (`optional`, messages), which are there if they are.
std::string WriteProtoJson(const google::protobuf::Message& message);

}  // namespace dragoman::server
