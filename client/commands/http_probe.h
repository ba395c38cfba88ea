// Asks an address of a daemon's port for operators (--metrics) over HTTP or HTTPS, as a kubelet's
// probe does: for health checks where gRPC wants certificates or keys that the asker does not have.
//
// Blocks; no state is shared between calls.
#pragma once

#include <chrono>
#include <string>

#include "absl/status/statusor.h"
#include "client/channel_security.h"

namespace dragoman::client {

struct HttpAnswer {
  int status = 0;
  std::string body;  // at most its first kMost bytes

  static constexpr size_t kMost = 4096;
};

// GET `url`: "http://HOST:PORT/PATH" or "https://...", an IPv6 address in brackets. Of `security`,
// which matters for https alone: whom to trust, the own certificate, and the name in the server's,
// where it is not the host's. INVALID_ARGUMENT: not such a URL; UNAVAILABLE: no answer, and why;
// DEADLINE_EXCEEDED: none within `timeout`, for which the name server's time does not count.
absl::StatusOr<HttpAnswer> HttpGet(const std::string& url, const ChannelSecurity& security,
                                   std::chrono::nanoseconds timeout);

}  // namespace dragoman::client
