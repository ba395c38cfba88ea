// Where --otlp sends spans.
#pragma once

#include <optional>
#include <string>

namespace dragoman {

struct OtlpEndpoint {
  std::string host;  // without the brackets of an IPv6 address
  std::string port;
};

// What "http://HOST:PORT" names; none where the text is not that.
std::optional<OtlpEndpoint> ParseOtlpEndpoint(const std::string& url);
// The inverse.
std::string OtlpUrl(const OtlpEndpoint& endpoint);

}  // namespace dragoman
