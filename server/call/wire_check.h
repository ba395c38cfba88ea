// Tells what the protobuf parser does not: why it refused bytes, and which fields it did not know.
//
// Pure functions on any generated message.
#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace dragoman::server {

// Why `message`'s parser refused `bytes`: the field that is not UTF-8, or that they are not such
// a message. INVALID_ARGUMENT either way.
absl::Status ExplainUnparsable(const google::protobuf::Descriptor& type, std::string_view bytes);

// Numbers of fields in `message`, at any depth, that its type does not have, as
// "DecodingOptions field 99". A handful at most.
std::vector<std::string> UnknownFields(const google::protobuf::Message& message);

// Reads `bytes` into `message`. INVALID_ARGUMENT if they are not such a message, UNIMPLEMENTED
// naming the fields that its type does not have.
absl::Status ParseKnown(std::string_view bytes, google::protobuf::Message* message);

}  // namespace dragoman::server
