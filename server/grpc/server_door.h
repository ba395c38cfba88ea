// What both gRPC ports have in common: what a connection may cost before anybody has looked at what
// it says, and the settings that gRPC 1.51 gets wrong by default.
#pragma once

#include <grpcpp/server_builder.h>

#include <cstdint>

namespace dragoman {

struct DoorLimits {
  const char* name = "";    // of the quota, for gRPC's own log
  int64_t quota_bytes = 0;  // that gRPC may hold for connections and their calls
  int max_streams = 0;      // of a connection
  // Of a request; gRPC says RESOURCE_EXHAUSTED to a larger one. -1: calls look at it themselves.
  int max_message_bytes = -1;
};

// Compressed messages are UNIMPLEMENTED, and what gRPC takes into memory has the limits. Before or
// after services and ports are added.
void SetUpDoor(const DoorLimits& limits, grpc::ServerBuilder* builder);

}  // namespace dragoman
