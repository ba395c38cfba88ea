// Says what the protobuf parser does not say: why it refused bytes, and which fields are unknown.
//
// Pure functions on any generated message.
#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace dragoman::server {

// Parses `bytes` into `message`. Returns INVALID_ARGUMENT that names the field that is not UTF-8,
// or says that the bytes are not such a message.
absl::Status ParseMessage(std::string_view bytes, google::protobuf::Message* message);

// Returns the first few unknown fields in `message`, at any depth, such as "DecodingOptions field
// 99".
std::vector<std::string> UnknownFields(const google::protobuf::Message& message);

// Does what ParseMessage does, but returns UNIMPLEMENTED with the names of unknown fields if there
// are any.
absl::Status ParseKnown(std::string_view bytes, google::protobuf::Message* message);

}  // namespace dragoman::server
