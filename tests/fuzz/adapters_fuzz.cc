// An HTTP request to every API adapter. Checks the adapter's action, the answer that it renders
// from a result, and its errors.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/fuzz/adapter_server.h"

namespace dragoman {
namespace {

constexpr std::array<const char*, 5> kTypes = {"application/json",
                                               "application/x-www-form-urlencoded",
                                               "multipart/form-data; boundary=x", "text/plain", ""};

// The first byte selects the route and the second the content type. Then follow the query, a line
// feed and the body.
void Run(const AdapterServer& server, std::string_view bytes) {
  if (bytes.size() < 2) return;
  const server::AdapterRoute& route =
      server.routes()[static_cast<uint8_t>(bytes[0]) % server.routes().size()];
  server::HttpRequest request;
  request.method = route.method == "*" ? "POST" : route.method;
  request.path = route.path;
  if (request.path.back() == '*') request.path.back() = 'x';
  request.headers = {{"content-type", kTypes[static_cast<uint8_t>(bytes[1]) % kTypes.size()]}};
  const std::string_view rest = bytes.substr(2);
  request.query = rest.substr(0, rest.find('\n'));
  if (request.query.size() < rest.size()) request.body = rest.substr(request.query.size() + 1);
  FuzzCheck(server.Ask(request));
}

}  // namespace
}  // namespace dragoman

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto* const server = new dragoman::AdapterServer;
  dragoman::Run(*server, {reinterpret_cast<const char*>(data), size});
  return 0;
}
