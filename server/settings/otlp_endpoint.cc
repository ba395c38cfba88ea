#include "server/settings/otlp_endpoint.h"

#include <string_view>

namespace dragoman {

std::optional<OtlpEndpoint> ParseOtlpEndpoint(const std::string& url) {
  constexpr std::string_view kScheme = "http://";
  if (url.rfind(kScheme, 0) != 0) return std::nullopt;
  std::string rest = url.substr(kScheme.size());
  if (!rest.empty() && rest.back() == '/') rest.pop_back();
  const size_t colon = rest.rfind(':');
  if (colon == std::string::npos || colon == 0) return std::nullopt;
  OtlpEndpoint out{rest.substr(0, colon), rest.substr(colon + 1)};
  if (out.host.size() > 2 && out.host.front() == '[' && out.host.back() == ']') {
    out.host = out.host.substr(1, out.host.size() - 2);  // IPv6
  } else if (out.host.find_first_of("/:@?#[] ") != std::string::npos) {
    return std::nullopt;
  }
  const bool digits = !out.port.empty() && out.port.size() <= 5 &&
                      out.port.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || std::stoi(out.port) < 1 || std::stoi(out.port) > 65'535) return std::nullopt;
  return out;
}

std::string OtlpUrl(const OtlpEndpoint& endpoint) {
  const bool is_ipv6 = endpoint.host.find(':') != std::string::npos;
  const std::string host = is_ipv6 ? "[" + endpoint.host + "]" : endpoint.host;
  return "http://" + host + ":" + endpoint.port;
}

}  // namespace dragoman
