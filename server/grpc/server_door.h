// The settings that both gRPC ports have in common: limits on what a connection may cost before its
// calls are looked at, and settings that gRPC 1.51 gets wrong by default.
#pragma once

#include <grpcpp/server_builder.h>

#include <cstdint>

namespace dragoman {

struct DoorLimits {
  const char* name = "";    // the quota's name in gRPC's own log
  int64_t quota_bytes = 0;  // the most that gRPC may hold for connections and their calls
  int max_streams = 0;      // of one connection
  // The largest request; gRPC refuses larger ones with RESOURCE_EXHAUSTED. -1: calls check the size
  // themselves.
  int max_message_bytes = -1;
};

// Makes compressed messages UNIMPLEMENTED, and sets the limits. May be called before or after
// services and ports are added.
void SetUpDoor(const DoorLimits& limits, grpc::ServerBuilder* builder);

}  // namespace dragoman
