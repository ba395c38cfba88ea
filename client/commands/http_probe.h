// Sends an HTTP or HTTPS GET to a daemon's port for operators (--metrics), as a kubelet's probe
// does. For health checks by a program that lacks the certificate or key that gRPC needs.
//
// Blocks. Calls share no state.
#pragma once

#include <chrono>
#include <string>

#include "absl/status/statusor.h"
#include "client/channel_security.h"

namespace dragoman::client {

struct HttpAnswer {
  int status = 0;
  std::string body;  // at most kMost bytes

  static constexpr size_t kMost = 4096;
};

// Sends GET `url`: "http://HOST:PORT/PATH" or "https://...", with an IPv6 address in brackets. For
// https it uses the CA certificates, the client's certificate and the server name of `security`.
// INVALID_ARGUMENT: not such a URL, or wrong certificates. UNAVAILABLE: no answer, with the reason.
// DEADLINE_EXCEEDED: no answer within `timeout`, which does not include name resolution.
absl::StatusOr<HttpAnswer> HttpGet(const std::string& url, const ChannelSecurity& security,
                                   std::chrono::nanoseconds timeout);

}  // namespace dragoman::client
