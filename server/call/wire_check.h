// Reports what the protobuf parser does not: why it refused bytes, and which fields are unknown.
//
// Pure functions on any generated message.
#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace dragoman::server {

// Returns INVALID_ARGUMENT: which field is not UTF-8, or that `bytes` are no message of `type`.
absl::Status ExplainUnparsable(const google::protobuf::Descriptor& type, std::string_view bytes);

// Returns the first unknown fields in `message`, at any depth, such as "DecodingOptions field 99".
std::vector<std::string> UnknownFields(const google::protobuf::Message& message);

// Parses `bytes` into `message`. INVALID_ARGUMENT if they are not such a message, UNIMPLEMENTED
// with the names of unknown fields.
absl::Status ParseKnown(std::string_view bytes, google::protobuf::Message* message);

}  // namespace dragoman::server
