// The bytes of an answer: status line, headers and the framing of pieces.
//
// Pure but for HttpDate, which reads the clock on the wall.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "server/transport/http_message.h"

namespace dragoman::server {

// How the end of an answer's body is marked.
enum class BodyFraming {
  kLength,   // Content-Length: the body is whole
  kChunked,  // in pieces
  kClose,    // in pieces that the connection's end ends: HTTP/1.0
};

struct ResponseFrame {
  BodyFraming framing = BodyFraming::kLength;
  bool http11 = true;
  bool keep_alive = true;
  bool head_only = false;  // the answer to HEAD: has the headers of the body that it leaves out
  std::string date;
};

// Status line and headers with the empty line, followed by `body` where that is the answer's. A
// `shared_body`, which Content-Length counts, is the caller's to send. Headers whose name or value would
// break the line are left out.
std::string ResponseText(const HttpResponse& response, const ResponseFrame& frame);

// Whether an answer of this status has a body, whatever its headers say.
bool HasBody(int status);

// A piece of a body as a chunk. REQUIRES: not empty.
std::string ChunkText(std::string_view piece);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

// "Sun, 06 Nov 1994 08:49:37 GMT".
std::string HttpDate();

}  // namespace dragoman::server
