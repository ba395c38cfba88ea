// The rules that an HTTP request must keep before it is parsed and before its body is read. They see
// to it that no two readers disagree about where a request ends (request smuggling), and that no
// control character gets into names and paths.
//
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/transport/http_message.h"

namespace dragoman::server {

// Where the head (the request's line and headers, with the empty line after them) ends.
struct HeadScan {
  size_t end = 0;          // after the empty line; 0: it has not come yet
  size_t scanned = 0;      // from where to go on when more has come
  bool malformed = false;  // a line that does not end with CR LF, or a control character
};

// Looks at `bytes` from `scanned` on. A byte is looked at twice at most.
HeadScan ScanHead(std::string_view bytes, size_t scanned);

// A head that has an end and no malformed line: folded headers, names that are not tokens (a space
// before the colon), lines without a colon.
std::optional<Refusal> CheckHeadLines(std::string_view head);

// How a request's body is framed, from its headers.
struct Framing {
  bool chunked = false;
  uint64_t content_length = 0;
  bool expects_continue = false;
};

// REQUIRES: `headers` as in HttpRequest. Fills in `framing`, or says what is wrong: both
// Content-Length and Transfer-Encoding, several of either, a length that is not digits alone, any
// coding but chunked, a body of more than `body_bytes`, no Host or several, a compressed body.
std::optional<Refusal> CheckFraming(const HttpRequest& request, bool http11, uint64_t body_bytes,
                                    Framing* framing);

// The method and the target of a request's first line, as far as they have come in `head`; "" for
// one that is not there whole, up to the target's query, or holds a control character.
struct RequestLine {
  std::string_view method;
  std::string_view target;
};
RequestLine ReadRequestLine(std::string_view head);

// Splits a request's target into path and query: "/path?query" or "http://host/path?query".
// Refused: other forms, a path whose escapes are broken or stand for a control character.
std::optional<Refusal> SplitTarget(std::string_view target, std::string* path, std::string* query);

// The hosts that a port answers to, besides localhost and IP addresses; nothing: it answers to any.
using AllowedHosts = std::optional<std::vector<std::string>>;

// Refuses (403) a request whose Host is another one: a page of another site can have its own name resolve
// to this machine's loopback address, and would then read the answers as those of its own site (DNS
// rebinding). A request without Host, of HTTP/1.0, is not a browser's.
std::optional<Refusal> CheckHost(const HttpRequest& request, const AllowedHosts& allowed);

// Whether the request of a WebSocket comes from a page of this server itself, or from no page.
// A browser lets any page open one, and would let it read what comes.
bool IsSameOrigin(const HttpRequest& upgrade);

// Whether `origin` ("https://example.org") is one of `allowed`, or that has "*". "" is none.
bool AllowsOrigin(const std::vector<std::string>& allowed, std::string_view origin);

}  // namespace dragoman::server
