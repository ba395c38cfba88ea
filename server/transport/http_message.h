// An HTTP request and an HTTP answer as data, without a connection.
//
// Plain values. Text is bytes as received; it is not checked to be UTF-8.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/clock.h"

namespace dragoman::server {

// The value of HttpRequest::method for a message over a WebSocket. Each text message of an accepted
// connection is a request with the path, query and headers of the upgrade. The answer's body is
// sent as a text message. An answer with a status of 400 or above closes the connection instead, so
// that no client takes it for a successful answer. The start of its body becomes the close reason.
// HttpExchange::Begin is not allowed.
inline constexpr std::string_view kWebSocketMethod = "WEBSOCKET";

struct HttpRequest {
  std::string method;  // as sent, because methods are case-sensitive; or kWebSocketMethod
  std::string path;    // up to '?', percent-decoded; starts with '/'
  std::string query;   // after '?', as sent; "" if there is none
  // Names in lower case, in the order of the request; a name may come more than once.
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;           // complete, with any transfer coding removed
  std::string peer;           // the client's address in gRPC's notation ("ipv4:192.0.2.7:4711")
  engine::Nanos started = 0;  // when the request's first byte was read, on the server's clock
  // Whether the client has presented a certificate that an authority trusted by the server has
  // issued.
  bool client_certificate = false;

  // Returns the first value of a header, by its name in lower case; "" if there is none.
  std::string_view Header(std::string_view name) const {
    for (const auto& [key, value] : headers) {
      if (key == name) return value;
    }
    return {};
  }
};

// Why the server refuses a request. The connection ends after a refusal.
struct Refusal {
  int status = 400;
  std::string why;  // without a line break at the end
};

// A body that is made while it is sent: the server asks for the next piece after the client has
// taken the previous one. So a large answer needs memory for only one piece. Used by one thread at
// a time.
class BodyPieces {
 public:
  virtual ~BodyPieces() = default;
  // Returns the next piece of about 64 KiB; "" at the end. Must take well below a millisecond,
  // because threads that serve connections call it.
  virtual std::string Next() = 0;
};

// An answer. At most one of `body`, `shared_body` and `pieces` is set.
struct HttpResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  // Headers except Content-Type, Content-Length, Date and Connection, which the server writes.
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  // A body that several answers share, such as a list. May be null.
  std::shared_ptr<const std::string> shared_body;
  // Makes the body while it is sent. May be null. Copies of the answer share this object, so only
  // one copy can be sent.
  std::shared_ptr<BodyPieces> pieces;

  // Returns the number of bytes of `body`, which the answer does not share with others.
  size_t held() const { return body.size(); }
  std::string_view text() const { return shared_body == nullptr ? body : *shared_body; }
};

}  // namespace dragoman::server
