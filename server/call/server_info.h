// Builds the answer of GetServerInfo, which names only the models that the client sees. Pure
// function.
#pragma once

#include <cstdint>

#include "dragoman/v1/translation.pb.h"
#include "engine/base/clock.h"
#include "server/call/call_context.h"

namespace dragoman::server {

// The limits of a transport, in addition to RequestLimits. 0 means no such limit.
struct CallBounds {
  int64_t max_request_bytes = 0;
  int max_streams = 0;                // concurrent calls of one connection
  engine::Nanos receive_timeout = 0;  // from the headers until the complete request
};

v1::GetServerInfoResponse BuildServerInfo(const CallContext& calls, const Client* client,
                                          const CallBounds& bounds, bool draining);

}  // namespace dragoman::server
