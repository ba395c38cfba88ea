// A connection that speaks HTTP/1.1, one request at a time. While it answers a request, it reads at
// most a few kilobytes of the requests that follow.
//
// Used only on its loop's thread.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/transport/connection_exchange.h"
#include "server/transport/http_loop.h"
#include "server/transport/request_reader.h"
#include "server/transport/response_text.h"
#include "server/transport/socket_stream.h"

namespace dragoman::server {

class Http1Connection final : public HttpConnection {
 public:
  // `peer` is in gRPC's notation.
  Http1Connection(HttpLoop* loop, std::unique_ptr<SocketStream> stream, std::string peer);

  void Start() override;
  void OnTick(engine::Nanos now) override;
  void EndIdle() override;
  void Close() override;
  void OnEvicted() override;

  void Respond(uint64_t id, HttpResponse response, std::function<void()> sent) override;
  void Begin(uint64_t id, const HttpResponse& head) override;
  void Write(uint64_t id, std::string piece, std::function<void(bool)> done) override;
  void End(uint64_t id, bool cut_off) override;
  void Break(uint64_t id) override;
  void OnDropped(uint64_t id, const HttpRequest& head) override;

 private:
  enum class Phase {
    kHandshake,  // the TLS handshake is in progress
    kIdle,       // no byte of the next request has come
    kReading,    // part of a request has come
    kAnswering,  // a request is with the handler, or its answer or a refusal is being sent
    kEnding,     // nothing more is sent; received bytes are discarded
    kClosed
  };
  struct Output {
    std::string text;
    std::shared_ptr<const std::string> shared;  // sent after `text`; may be null
    std::function<void(bool ok)> done;
  };

  engine::Nanos Now() const { return shared().clock->Now(); }
  std::shared_ptr<Http1Connection> Self();
  void Handshake();
  void GoIdle(std::chrono::milliseconds time);

  bool WantsBytes() const;
  void Read();
  void OnRead(const boost::system::error_code& error, std::string_view bytes);
  void Parse();
  // Handles a request's headers. Returns false if it refused the request.
  bool OnHead();
  void Dispatch();
  void Upgrade(HttpRequest request);
  // Moves the parsed part of the current request, without its body, out of the reader.
  HttpRequest TakeHead();
  // Answers with the handler's text for `refusal`, then ends the connection. `head` is the refused
  // request without its body.
  void Refuse(const Refusal& refusal, const HttpRequest& head);
  // Sends `answer`, then ends the connection.
  void RefuseWith(HttpResponse answer, const HttpRequest& head);

  void Send(std::string text, std::function<void(bool ok)> done);
  void Send(Output output);
  void SendNext();
  void SendPieces(std::shared_ptr<BodyPieces> pieces, std::function<void()> sent);
  ResponseFrame FrameOf(BodyFraming framing) const;
  // Called when the complete answer was written.
  void FinishAnswer();
  // Closes the sending side and waits for the client to close its side, so that the answer arrives
  // even if the client goes on sending.
  void BeginEnding();
  void EndTls();
  void UpdateHeld();

  std::unique_ptr<SocketStream> stream_;
  const std::string peer_;
  Phase phase_ = Phase::kHandshake;
  engine::Nanos deadline_ = engine::kNoDeadline;        // when the present phase times out
  engine::Nanos write_deadline_ = engine::kNoDeadline;  // when the write in progress times out
  engine::Nanos idle_since_ = 0;
  engine::Nanos started_ = 0;  // when the request's first byte came
  bool client_certificate_ = false;

  bool reading_ = false;      // a read is in progress
  bool at_end_ = false;       // the client has closed its side
  bool tls_ended_ = false;    // TLS was shut down: bytes are now read from the socket itself
  std::vector<char> tls_in_;  // the buffer that TLS reads into
  std::string in_;            // bytes that were read, but not parsed
  std::unique_ptr<RequestReader> reader_;
  bool head_seen_ = false;

  uint64_t last_id_ = 0;
  uint64_t current_ = 0;    // the exchange that is not answered yet; 0: none
  size_t asked_bytes_ = 0;  // bytes of the current request, counted until its answer was sent
  std::weak_ptr<ConnectionExchange> exchange_;
  bool http11_ = true;
  bool head_only_ = false;
  bool keep_alive_ = false;
  BodyFraming framing_ = BodyFraming::kLength;

  std::deque<Output> out_;  // the first is being written
  size_t out_bytes_ = 0;
};

}  // namespace dragoman::server
