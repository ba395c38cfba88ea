// A gRPC service whose calls begin when their headers have arrived, and whose requests are raw
// bytes (call_reactor.h). If gRPC parsed the requests, it would not answer invalid UTF-8 with
// INVALID_ARGUMENT.
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

  // `path` must be a literal, because gRPC keeps the pointer. All methods of one object must belong
  // to one service, because reflection lists only the service of the method that was added last.
  void Add(const char* path, MakeCall make);

 private:
  int methods_ = 0;
};

// Returns the bytes of a gRPC message in one piece.
std::string FlattenBytes(const grpc::ByteBuffer& buffer);

// Returns false and leaves `out` unchanged if the message is above 2 GiB, protobuf's limit.
bool SerializeBytes(const google::protobuf::MessageLite& message, grpc::ByteBuffer* out);

}  // namespace dragoman::server
