// One HTTP/1.1 request, out of the bytes of a connection. Boost.Beast parses; what it lets pass and
// what two readers of the same bytes could take for different requests is refused before it sees it
// (request_rules.h).
//
// Not thread-safe. A reader is for one request: make another for the next one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/transport/http_message.h"
#include "server/transport/request_rules.h"

namespace dragoman::server {

struct ReadLimits {
  size_t header_bytes = 32 * 1024;  // of the request's line and headers; of trailers, too
  int headers = 128;
  size_t body_bytes = 0;
};

class RequestReader {
 public:
  explicit RequestReader(const ReadLimits& limits);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  // Takes bytes from the front of `bytes`; returns how many. The caller keeps the others and gives
  // them again, with what has come since. REQUIRES: neither whole() nor refusal().
  size_t Take(std::string_view bytes);

  // Something of the request has come: more than empty lines.
  bool started() const { return started_; }
  bool head_done() const { return head_done_; }
  bool whole() const { return whole_; }
  const std::optional<Refusal>& refusal() const { return refusal_; }

  // From head_done() on: without its body until it is whole(). Peer and time are the caller's. Of a
  // request that is refused before that it has the method and the path, where those have come.
  HttpRequest& request() { return request_; }
  // The client waits for "100 Continue" before it sends the body.
  bool expects_continue() const { return expects_continue_; }
  bool is_http11() const { return http11_; }
  bool keep_alive() const { return keep_alive_; }
  // A WebSocket is asked for.
  bool is_upgrade() const { return upgrade_; }

  // Memory of what has come so far, in bytes.
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
  size_t scanned_ = 0;      // of the head, without finding its end
  size_t empty_bytes_ = 0;  // of empty lines before the request
  size_t head_bytes_ = 0;
  size_t wire_bytes_ = 0;  // of the body with its framing
  bool started_ = false;
  bool head_done_ = false;
  bool whole_ = false;
  bool expects_continue_ = false;
  bool http11_ = true;
  bool keep_alive_ = false;
  bool upgrade_ = false;
};

}  // namespace dragoman::server
