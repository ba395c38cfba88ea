// Builds what a server says of itself to a client: version, limits, the models that it sees. Pure function of the parts that calls share.
#pragma once

#include <cstdint>

#include "dragoman/v1/translation.pb.h"
#include "engine/base/clock.h"
#include "server/call/call_context.h"

namespace dragoman::server {

// The limits that a transport has, beside those of requests (RequestLimits). 0: it has none.
struct CallBounds {
  int64_t max_request_bytes = 0;
  int max_streams = 0;                // calls of one connection at a time
  engine::Nanos receive_timeout = 0;  // from a call's headers until its request is whole
};

v1::GetServerInfoResponse BuildServerInfo(const CallContext& calls, const Client* client,
                                          const CallBounds& bounds, bool draining);

}  // namespace dragoman::server
