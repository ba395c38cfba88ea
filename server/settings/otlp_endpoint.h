// Where --otlp sends spans.
#pragma once

#include <string>

namespace dragoman {

struct OtlpEndpoint {
  std::string host;  // without the brackets of an IPv6 address
  std::string port;
};

// Of "http://HOST:PORT"; empty where it is not that.
OtlpEndpoint ParseOtlpEndpoint(const std::string& url);

}  // namespace dragoman
