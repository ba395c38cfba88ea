// Sends an HTTP or HTTPS GET to a daemon's port for operators (--metrics), like a Kubernetes probe.
// A health check can use it without the certificate or API key that gRPC requires.
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

// Sends a GET to `url`, which is "http://HOST:PORT/PATH" or "https://HOST:PORT/PATH". An IPv6
// address is in brackets. With https, uses the CA certificates, the client's certificate and the
// server name of `security`. Returns INVALID_ARGUMENT if the URL has another form or a certificate
// is wrong, UNAVAILABLE with the reason if there is no answer, and DEADLINE_EXCEEDED if there is
// none within `timeout`. The timeout does not include name resolution.
absl::StatusOr<HttpAnswer> HttpGet(const std::string& url, const ChannelSecurity& security,
                                   std::chrono::nanoseconds timeout);

}  // namespace dragoman::client
