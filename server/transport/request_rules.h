// Checks an HTTP request before it is parsed and before its body is read. The rules ensure that no
// two programs disagree about the end of a request (request smuggling), and that names and paths
// have no control characters.
//
// Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/transport/http_message.h"

namespace dragoman::server {

// The end of the head of a request. The head is the request line, the headers and the empty line.
struct HeadScan {
  size_t end = 0;          // after the empty line; 0: not found yet
  size_t scanned = 0;      // where the next ScanHead begins when more bytes have arrived
  bool malformed = false;  // a line that does not end with CR LF, or a control character
};

HeadScan ScanHead(std::string_view bytes, size_t scanned);

// Refuses folded headers, names that are not tokens (such as a name with a space before the colon)
// and lines without a colon. REQUIRES: ScanHead found `head` complete and not malformed.
std::optional<Refusal> CheckHeadLines(std::string_view head);

struct Framing {
  bool chunked = false;
  uint64_t content_length = 0;
  bool expects_continue = false;
};

// Sets `framing` from the headers. Refuses
//   * both Content-Length and Transfer-Encoding, or several of either;
//   * a length that is not only digits, or above `body_bytes`;
//   * any transfer coding except chunked, and any transfer coding in HTTP/1.0;
//   * no Host (in HTTP/1.1) or several;
//   * a compressed body;
//   * an Expect other than 100-continue.
std::optional<Refusal> CheckFraming(const HttpRequest& request, bool http11, uint64_t body_bytes,
                                    Framing* framing);

// The method and the target of a request line. The target is without its query. Each is "" if
// `head` does not have it completely. The target is also "" if it has a control character.
struct RequestLine {
  std::string_view method;
  std::string_view target;
};
RequestLine ReadRequestLine(std::string_view head);

// Splits a request's target, "/path?query" or "http://host/path?query", into path and query.
// Decodes the percent-escapes of the path and merges repeated slashes. Refuses targets of another
// form, invalid escapes in the path, and escapes of control characters.
std::optional<Refusal> SplitTarget(std::string_view target, std::string* path, std::string* query);

// The hosts that a port accepts in addition to localhost and IP addresses. nullopt: any host.
using AllowedHosts = std::optional<std::vector<std::string>>;

// Refuses a request whose Host is not allowed, with status 403. Without this check, a page of
// another site could let a name of that site resolve to this machine's loopback address and read
// the answers (DNS rebinding). A request without Host (HTTP/1.0) is allowed, because no browser
// sends one.
std::optional<Refusal> CheckHost(const HttpRequest& request, const AllowedHosts& allowed);

// Reports whether the request for a WebSocket has no Origin or the Origin of this server. Browsers
// let any page open a WebSocket to any server, and send the page's Origin to the server.
bool IsSameOrigin(const HttpRequest& upgrade);

// Reports whether `allowed` has `origin` ("https://example.org") or "*". Returns false for "".
bool AllowsOrigin(const std::vector<std::string>& allowed, std::string_view origin);

}  // namespace dragoman::server
