// Reads one HTTP/1.1 request from the bytes of a connection. Boost.Beast parses the request. Before
// that, the rules of request_rules.h refuse bytes that two readers could take for different
// requests.
//
// Not thread-safe. Each request needs a new reader.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/transport/http_message.h"
#include "server/transport/request_rules.h"

namespace dragoman::server {

struct ReadLimits {
  // The limit for the request line and the headers together. Also the limit for the trailers.
  size_t header_bytes = 32 * 1024;
  int headers = 128;
  size_t body_bytes = 0;
};

class RequestReader {
 public:
  explicit RequestReader(const ReadLimits& limits);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  // Consumes bytes from the front of `bytes` and returns their number. The caller keeps the rest
  // and passes it again, followed by newly received bytes. REQUIRES: is_complete() is false and
  // refusal() is empty.
  size_t Take(std::string_view bytes);

  // True once the first byte of the request has arrived. Empty lines before the request do not
  // count.
  bool started() const { return started_; }
  bool head_done() const { return head_done_; }
  bool is_complete() const { return is_complete_; }
  const std::optional<Refusal>& refusal() const { return refusal_; }

  // The headers are valid once head_done() is true, the body once is_complete() is true. The caller
  // sets `peer`, `started` and `client_certificate`. A request refused before head_done() has the
  // method and the path, if they have arrived.
  HttpRequest& request() { return request_; }
  // True if the client waits for "100 Continue" before it sends the body.
  bool expects_continue() const { return expects_continue_; }
  bool is_http11() const { return http11_; }
  bool keep_alive() const { return keep_alive_; }
  // True if the request asks for a WebSocket.
  bool is_upgrade() const { return upgrade_; }

  // The memory that the request uses so far, in bytes.
  size_t held() const { return request_.body.capacity() + head_bytes_; }

 private:
  class Parser;

  size_t TakeHead(std::string_view bytes);
  size_t ParseHead(std::string_view bytes);
  size_t TakeBody(std::string_view bytes);
  void Refuse(int status, std::string why);
  void RefuseFraming();

  const ReadLimits limits_;
  std::unique_ptr<Parser> parser_;
  HttpRequest request_;
  std::optional<Refusal> refusal_;
  size_t scanned_ = 0;      // bytes of the head that were scanned without finding its end
  size_t empty_bytes_ = 0;  // bytes of empty lines before the request
  size_t head_bytes_ = 0;
  size_t wire_bytes_ = 0;  // bytes of the body with its framing
  bool started_ = false;
  bool head_done_ = false;
  bool is_complete_ = false;
  bool expects_continue_ = false;
  bool http11_ = true;
  bool keep_alive_ = false;
  bool upgrade_ = false;
};

}  // namespace dragoman::server
