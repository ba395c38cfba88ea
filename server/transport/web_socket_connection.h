// A connection that speaks WebSocket (RFC 6455), with Boost.Beast. Each text message is a request,
// and its answer is a text message. The handler works on one message at a time. One more message
// may wait. Further messages are not read. Messages are never compressed.
//
// Used only on its loop's thread.
#pragma once

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "server/transport/connection_exchange.h"
#include "server/transport/http_loop.h"
#include "server/transport/socket_stream.h"

namespace dragoman::server {

class WebSocketConnection final : public HttpConnection {
 public:
  // `upgrade` is the request that asks for the WebSocket. REQUIRES: no operation is pending on
  // `stream`.
  WebSocketConnection(HttpLoop* loop, std::unique_ptr<SocketStream> stream, HttpRequest upgrade);

  void Start() override;
  void OnTick(engine::Nanos now) override;
  void EndIdle() override;
  void Close() override;
  void OnEvicted() override;

  void Respond(uint64_t id, HttpResponse response, std::function<void()> sent) override;
  // A message cannot have an answer in pieces: Begin and End close the connection.
  void Begin(uint64_t id, const HttpResponse& head) override;
  void Write(uint64_t id, std::string piece, std::function<void(bool)> done) override;
  void End(uint64_t id, bool cut_off) override;
  void Break(uint64_t id) override;
  void OnDropped(uint64_t id, const HttpRequest& head) override;

 private:
  using CloseCode = boost::beast::websocket::close_code;

  engine::Nanos Now() const { return shared().clock->Now(); }
  std::shared_ptr<WebSocketConnection> Self();
  void Read();
  void OnRead(const boost::beast::error_code& error);
  // Hands the waiting message to the handler, unless another message is being answered.
  void HandleNext();
  void OnAnswered();
  // Sends a close frame, with the reason truncated to fit, and closes the connection soon after.
  void EndWith(CloseCode code, std::string_view reason = {});
  // Asks the handler for the answer to the refusal, and ends with the text of this answer as the
  // close reason.
  void Refuse(const Refusal& refusal);
  // Reports whether the message that is being read is too long, or will be according to its frame.
  bool IsTooLong() const;
  void UpdateHeld();

  const std::unique_ptr<SocketStream> stream_;
  boost::beast::websocket::stream<SocketStream&> socket_;
  const HttpRequest upgrade_;
  bool open_ = false;  // the handshake is done
  bool ending_ = false;
  bool closed_ = false;
  bool reading_ = false;
  engine::Nanos deadline_ =
      engine::kNoDeadline;  // of the handshake, the message or the wait for the next message
  engine::Nanos write_deadline_ = engine::kNoDeadline;  // when the write in progress times out
  engine::Nanos message_began_ = 0;                     // 0: no byte of the next message was read

  boost::beast::flat_buffer in_;
  bool message_waits_ = false;  // in_ has a complete message
  std::string out_;             // the answer being written

  uint64_t last_id_ = 0;
  uint64_t current_ = 0;    // the exchange that is not answered yet; 0: none
  size_t asked_bytes_ = 0;  // bytes of the current message, counted until its answer was sent
  bool writing_ = false;
  std::function<void()> sent_;  // the `sent` of the answer being written
  std::weak_ptr<ConnectionExchange> exchange_;
};

}  // namespace dragoman::server
