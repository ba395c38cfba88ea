// A gRPC service whose methods take calls at their headers and requests as raw bytes, see
// call_reactor.h: what is not UTF-8 must get INVALID_ARGUMENT, and gRPC's generated parsing answers
// otherwise before our code runs.
//
// Thread-safe. Reactions never block.
#pragma once

#include <google/protobuf/message_lite.h>
#include <grpcpp/impl/service_type.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>

#include <functional>
#include <memory>
#include <string>

#include "server/api/call_reactor.h"

namespace dragoman::server {

class RawService : public grpc::Service {
 protected:
  using MakeCall = std::function<std::shared_ptr<CallReactor>(grpc::CallbackServerContext* rpc)>;

  // `path` must be a literal: gRPC keeps the pointer. All of one object belong to one service:
  // reflection lists the last one's.
  void Add(const char* path, MakeCall make);

 private:
  int methods_ = 0;
};

// The bytes of a gRPC message in one piece.
std::string FlattenBytes(const grpc::ByteBuffer& buffer);

// Returns false and leaves `out` unchanged for a message above 2 GiB, which protobuf cannot write.
bool SerializeBytes(const google::protobuf::MessageLite& message, grpc::ByteBuffer* out);

}  // namespace dragoman::server
