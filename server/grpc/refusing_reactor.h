// Ends a call of a method that the server does not have, whatever it is and before it is read.
//
// Owns itself: REQUIRES `new`, and is handed to gRPC.
#pragma once

#include <grpcpp/generic/async_generic_service.h>

#include <utility>

namespace dragoman {

class RefusingReactor final : public grpc::ServerGenericBidiReactor {
 public:
  explicit RefusingReactor(grpc::Status status) { Finish(std::move(status)); }
  void OnDone() override { delete this; }
};

}  // namespace dragoman
