// The parts of the server that all calls of gRPC share.
#pragma once

#include <cstdint>

#include "engine/base/clock.h"
#include "server/call/call_context.h"
#include "server/guard/guard.h"
#include "server/security/api_keys.h"

namespace dragoman {

// Everything is borrowed and outlives the calls.
struct ServiceContext {
  const CallContext* calls = nullptr;
  Guard* guard = nullptr;
  const ApiKeys* keys = nullptr;  // nullptr: calls need none
  int64_t max_message_bytes = 0;  // of a request
  int max_streams = 0;            // of one connection
  Nanos receive_timeout = 0;      // from a call's headers until its request is whole
};

}  // namespace dragoman
