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

// Returns INVALID_ARGUMENT that names the field that is not UTF-8, or says that `bytes` are not a
// message of `type`. REQUIRES: the protobuf parser refused `bytes`.
absl::Status ExplainUnparsable(const google::protobuf::Descriptor& type, std::string_view bytes);

// Returns the first few unknown fields in `message`, at any depth, such as "DecodingOptions field
// 99".
std::vector<std::string> UnknownFields(const google::protobuf::Message& message);

// Parses `bytes` into `message`. Returns INVALID_ARGUMENT if they are not such a message, and
// UNIMPLEMENTED with the names of unknown fields if there are any.
absl::Status ParseKnown(std::string_view bytes, google::protobuf::Message* message);

}  // namespace dragoman::server
