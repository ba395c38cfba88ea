// An HTTP request and an answer as data, without a connection.
//
// Plain values. Text is bytes as they came; nothing here is checked to be UTF-8.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/clock.h"

namespace dragoman::server {

// The method of a message over a WebSocket: each text message of an accepted connection is a request
// with the path, query and headers of the upgrade. The answer's body is sent as a text message. An
// error (status from 400 on) closes the connection instead, so that no client takes one for an
// answer: its body is the reason, as far as a close frame has room. Such a request cannot be answered
// in pieces.
inline constexpr std::string_view kWebSocketMethod = "WEBSOCKET";

struct HttpRequest {
  std::string method;  // as sent: methods are case-sensitive; or kWebSocketMethod
  std::string path;    // up to '?', percent-decoded; starts with '/'
  std::string query;   // after '?', as sent; "" if there is none
  // Names in lower case, in the order of the request; a name may come more than once.
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;           // whole, after any transfer coding
  std::string peer;           // the client's address as gRPC writes it ("ipv4:192.0.2.7:4711")
  engine::Nanos started = 0;  // when its first byte came, on the clock of the calls
  // The client has shown a certificate of the authorities that the server trusts.
  bool client_certificate = false;

  // The first value of a header, by its name in lower case; "" if there is none.
  std::string_view Header(std::string_view name) const {
    for (const auto& [key, value] : headers) {
      if (key == name) return value;
    }
    return {};
  }
};

// Why the server refuses a request, after which its connection ends: what follows on it cannot be
// trusted or is not read.
struct Refusal {
  int status = 400;
  std::string why;  // without a line's end
};

// A body that is made while it is sent: the server asks for a piece when the client has taken the one
// before, so that a large answer needs the memory of one piece, and nothing of it is made for a client
// that does not read. Used by one thread at a time.
class BodyPieces {
 public:
  virtual ~BodyPieces() = default;
  // Returns the next piece, "" at the end. Threads that serve connections call it: it must take well below
  // a millisecond. A piece has about 64 KiB.
  virtual std::string Next() = 0;
};

// An answer. Its body is `body`, or `shared_body`, or `pieces`: one of them.
struct HttpResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  // Besides Content-Type, Content-Length, Date and Connection, which the server writes.
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  // A text that all who ask for it share, such as a list; null for others.
  std::shared_ptr<const std::string> shared_body;
  // Shared because an answer can be copied; its copies share what is left of the body.
  std::shared_ptr<BodyPieces> pieces;

  // The bytes of the body that the answer holds by itself.
  size_t held() const { return body.size(); }
  std::string_view text() const { return shared_body == nullptr ? body : *shared_body; }
};

}  // namespace dragoman::server
