// Conversions between gRPC's byte buffers, strings and messages. Pure functions.
#pragma once

#include <google/protobuf/message_lite.h>
#include <grpcpp/support/byte_buffer.h>

#include <string>

namespace dragoman {

// A message of gRPC in one piece.
std::string FlattenBytes(const grpc::ByteBuffer& buffer);

// False for a message above 2 GiB, which protobuf cannot write; `out` is then left as it is.
bool SerializeBytes(const google::protobuf::MessageLite& message, grpc::ByteBuffer* out);

}  // namespace dragoman
