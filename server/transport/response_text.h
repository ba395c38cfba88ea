// Formats the bytes of an answer: status line, headers and the framing of pieces.
//
// Pure functions, except HttpDate, which reads the wall clock.
#pragma once

#include <string>
#include <string_view>

#include "server/transport/http_message.h"

namespace dragoman::server {

// How a client finds the end of an answer's body.
enum class BodyFraming {
  kLength,   // Content-Length: the body is complete
  kChunked,  // Transfer-Encoding: chunked, for a body in pieces
  kClose,    // the end of the connection, for pieces in HTTP/1.0
};

struct ResponseFrame {
  BodyFraming framing = BodyFraming::kLength;
  bool http11 = true;
  bool keep_alive = true;
  bool head_only = false;  // the answer to HEAD: the headers without the body
  std::string date;
};

// Returns the status line, the headers and the empty line. With kLength, `body` follows, except in
// an answer to HEAD. Content-Length includes the bytes of `shared_body`, which the caller must send
// itself. Omits headers whose name or value has a control character other than tab.
std::string ResponseText(const HttpResponse& response, const ResponseFrame& frame);

bool HasBody(int status);

// Returns a piece of a body as a chunk. REQUIRES: `piece` is not empty.
std::string ChunkText(std::string_view piece);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

// Returns the present time, such as "Sun, 06 Nov 1994 08:49:37 GMT".
std::string HttpDate();

}  // namespace dragoman::server
