// Where --otlp sends spans.
#pragma once

#include <optional>
#include <string>

namespace dragoman {

struct OtlpEndpoint {
  std::string host;  // without the brackets of an IPv6 address
  std::string port;
};

// The endpoint that "http://HOST:PORT" names; nullopt for any other text.
std::optional<OtlpEndpoint> ParseOtlpEndpoint(const std::string& url);
// The inverse.
std::string OtlpUrl(const OtlpEndpoint& endpoint);

}  // namespace dragoman
