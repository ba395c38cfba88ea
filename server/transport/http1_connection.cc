#include "server/transport/http1_connection.h"

#include <openssl/ssl.h>

#include <array>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/base/log.h"
#include "server/base/steady_clock.h"
#include "server/transport/web_socket_connection.h"

namespace dragoman::server {
namespace {

// While a request is being answered, at most this many bytes of the requests that follow are read.
// The connection keeps reading because only a read shows that the client has closed its side.
constexpr size_t kReadAhead = 16 * 1024;
constexpr size_t kTlsReadBytes = 8 * 1024;
// The time for a client to read the last answer.
constexpr std::chrono::milliseconds kEndingTime{2'000};
// While the server is crowded, a connection without a request ends after this time.
constexpr engine::Nanos kCrowdedIdle = kNanosPerSecond;

size_t BytesOf(const HttpRequest& request) {
  size_t bytes = request.path.size() + request.query.size() + request.body.size();
  for (const auto& [name, value] : request.headers) bytes += name.size() + value.size();
  return bytes;
}

}  // namespace

HttpResponse PlainRefusal(const Refusal& refusal) {
  HttpResponse response{.status = refusal.status, .body = refusal.why + "\n"};
  if (refusal.status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

Http1Connection::Http1Connection(HttpLoop* loop, std::unique_ptr<SocketStream> stream,
                                 std::string peer)
    : HttpConnection(loop), stream_(std::move(stream)), peer_(std::move(peer)) {}

std::shared_ptr<Http1Connection> Http1Connection::Self() {
  return std::static_pointer_cast<Http1Connection>(shared_from_this());
}

void Http1Connection::Start() {
  if (!stream_->wants_tls()) {
    GoIdle(shared().options.header_time);
    Read();
    return;
  }
  deadline_ = Now() + NanosOf(shared().options.header_time);
  stream_->socket().async_wait(SocketStream::Socket::wait_read,
                               [self = Self()](const boost::system::error_code&) {
                                 if (self->phase_ != Phase::kClosed) self->Handshake();
                               });
}

void Http1Connection::Handshake() {
  stream_->BeginTls().async_handshake(
      boost::asio::ssl::stream_base::server,
      [self = Self()](const boost::system::error_code& error) {
        if (self->phase_ == Phase::kClosed) return;
        if (error) {
          Log(LogLevel::kDebug, "TLS", {{"peer", self->peer_}, {"error", error.message()}});
          self->Close();
          return;
        }
        SSL* const ssl = self->stream_->tls()->native_handle();
        self->client_certificate_ =
            SSL_get0_peer_certificate(ssl) != nullptr && SSL_get_verify_result(ssl) == X509_V_OK;
        self->GoIdle(self->shared().options.header_time);
        self->Read();
      });
}

void Http1Connection::GoIdle(std::chrono::milliseconds time) {
  phase_ = Phase::kIdle;
  idle_since_ = Now();
  deadline_ = idle_since_ + NanosOf(time);
  reader_.reset();
  head_seen_ = false;
}

void Http1Connection::OnTick(engine::Nanos now) {
  const bool unread = now >= write_deadline_;
  const bool crowded =
      phase_ == Phase::kIdle && shared().crowded && now - idle_since_ >= kCrowdedIdle;
  if (unread || crowded) {
    Close();
  } else if (now >= deadline_) {
    if (phase_ == Phase::kReading) {
      Refuse({408, "the request took too long to arrive"}, TakeHead());
    } else {
      Close();
    }
  }
}

void Http1Connection::EndIdle() {
  if (phase_ == Phase::kIdle || phase_ == Phase::kHandshake) Close();
}

void Http1Connection::Close() {
  if (phase_ == Phase::kClosed) return;
  const auto self = Self();  // keeps this object alive to the end of the function
  phase_ = Phase::kClosed;
  deadline_ = write_deadline_ = engine::kNoDeadline;
  stream_->Close();
  loop().Remove(this);
  reader_.reset();
  std::string().swap(in_);
  SetHeld(0);
  current_ = 0;
  // The write in progress still uses the text of the first output, so the outputs are not
  // destroyed.
  for (Output& output : out_) {
    if (const auto done = std::exchange(output.done, nullptr)) done(false);
  }
  if (const auto exchange = exchange_.lock()) exchange->SetGone();
}

void Http1Connection::OnEvicted() {
  const bool unanswered =
      phase_ == Phase::kAnswering && current_ != 0 && framing_ == BodyFraming::kLength;
  if (phase_ != Phase::kReading && !unanswered) {
    Close();
    return;
  }
  HttpRequest head;
  if (const auto exchange = exchange_.lock(); unanswered && exchange != nullptr) {
    const HttpRequest& request = exchange->request();
    head.method = request.method;
    head.path = request.path;
    head.query = request.query;
    head.headers = request.headers;
    // SetGone makes the handler stop its work and release the request.
    exchange->SetGone();
  } else if (!unanswered) {
    head = TakeHead();
  }
  current_ = 0;
  exchange_.reset();
  Refuse({503, absl::StrCat("requests that are not answered hold more than ", shared().held.limit(),
                            " bytes, this one most of them")},
         head);
}

void Http1Connection::UpdateHeld() {
  if (phase_ == Phase::kClosed) return;
  SetHeld((reader_ == nullptr ? 0 : reader_->held()) + asked_bytes_ + in_.size() + out_bytes_);
}

bool Http1Connection::WantsBytes() const {
  switch (phase_) {
    case Phase::kIdle:
    case Phase::kReading:
    case Phase::kEnding:
      return true;
    case Phase::kAnswering:
      return !at_end_ && in_.size() <= kReadAhead;
    case Phase::kHandshake:
    case Phase::kClosed:
      break;
  }
  return false;
}

void Http1Connection::Read() {
  if (reading_ || !WantsBytes()) return;
  reading_ = true;
  if (stream_->tls() != nullptr && !tls_ended_) {
    tls_in_.resize(kTlsReadBytes);
    stream_->tls()->async_read_some(
        boost::asio::buffer(tls_in_),
        [self = Self()](const boost::system::error_code& error, size_t n) {
          self->reading_ = false;
          self->OnRead(error, std::string_view(self->tls_in_.data(), n));
        });
    return;
  }
  // Waits for bytes before it reads, so that an idle connection needs no buffer.
  stream_->socket().async_wait(
      SocketStream::Socket::wait_read, [self = Self()](boost::system::error_code error) {
        self->reading_ = false;
        if (self->phase_ == Phase::kClosed) return;
        auto& scratch = self->loop().scratch();
        const size_t n =
            error ? 0 : self->stream_->socket().read_some(boost::asio::buffer(scratch), error);
        if (error == boost::asio::error::would_block) {
          self->Read();
        } else {
          self->OnRead(error, std::string_view(scratch.data(), n));
        }
      });
}

void Http1Connection::OnRead(const boost::system::error_code& error, std::string_view bytes) {
  if (phase_ == Phase::kClosed) return;
  if (phase_ == Phase::kEnding) {
    if (stream_->tls() != nullptr && !tls_ended_) {
      EndTls();  // BeginEnding could not do this while the read was pending
    } else if (error) {
      Close();
    } else {
      Read();
    }
    return;
  }
  // If the client has closed its sending side, the answer that is being sent is still completed.
  const bool at_end =
      error == boost::asio::error::eof || error == boost::asio::ssl::error::stream_truncated;
  if (at_end && phase_ == Phase::kAnswering && current_ == 0) {
    at_end_ = true;
    return;
  }
  if (error) {
    Close();
    return;
  }
  in_.append(bytes);
  Parse();
}

void Http1Connection::Parse() {
  if (phase_ == Phase::kIdle && !in_.empty() && reader_ == nullptr) {
    reader_ = std::make_unique<RequestReader>(shared().options.read);
    started_ = Now();
  }
  if ((phase_ == Phase::kIdle || phase_ == Phase::kReading) && !in_.empty()) {
    in_.erase(0, reader_->Take(in_));
    if (phase_ == Phase::kIdle && reader_->started()) {
      phase_ = Phase::kReading;
      started_ = Now();
      deadline_ = started_ + NanosOf(shared().options.header_time);
    }
    if (reader_->refusal().has_value()) {
      Refuse(Refusal(*reader_->refusal()), TakeHead());
      return;
    }
    if (reader_->head_done() && !head_seen_ && !OnHead()) return;
    if (reader_->is_complete()) {
      Dispatch();
      return;
    }
  }
  UpdateHeld();
  Read();
}

bool Http1Connection::OnHead() {
  head_seen_ = true;
  deadline_ = started_ + NanosOf(shared().options.request_time);
  if (const auto wrong = CheckHost(reader_->request(), shared().options.hosts)) {
    Refuse(*wrong, TakeHead());
    return false;
  }
  if (!reader_->is_complete()) {
    HttpRequest& head = reader_->request();
    head.peer = peer_;
    head.started = started_;
    head.client_certificate = client_certificate_;
    // The handler must not see the part of the body that was already read.
    std::string body = std::exchange(head.body, {});
    HttpAdmission admission = shared().handler->Admit(head);
    head.body = std::move(body);
    SetClient(std::move(admission.client));
    if (admission.refusal.has_value()) {
      RefuseWith(*std::move(admission.refusal), TakeHead());
      return false;
    }
  } else {
    SetClient({.name = peer_});
  }
  if (reader_->expects_continue() && !reader_->is_complete() && in_.empty()) {
    Send("HTTP/1.1 100 Continue\r\n\r\n", nullptr);
  }
  return true;
}

void Http1Connection::Dispatch() {
  HttpRequest request = std::move(reader_->request());
  request.peer = peer_;
  request.started = started_;
  request.client_certificate = client_certificate_;
  http11_ = reader_->is_http11();
  head_only_ = request.method == "HEAD";
  keep_alive_ = reader_->keep_alive() && !shared().options.close_after_answer;
  const bool upgrade = reader_->is_upgrade();
  // A connection becomes a WebSocket only if it has no other bytes and no operations in progress,
  // because Beast answers the upgrade at once and reads from the socket itself.
  const bool alone = in_.empty() && request.body.empty() && !reading_ && out_.empty();
  reader_.reset();
  if (in_.empty()) std::string().swap(in_);
  if (upgrade) {
    if (alone) {
      Upgrade(std::move(request));
    } else {
      std::string().swap(request.body);
      Refuse({400, "found other bytes beside the request of a WebSocket, expected none"}, request);
    }
    return;
  }
  phase_ = Phase::kAnswering;
  deadline_ = engine::kNoDeadline;
  framing_ = BodyFraming::kLength;
  current_ = ++last_id_;
  asked_bytes_ = BytesOf(request);
  UpdateHeld();
  // Keeps reading, because only a read shows that the client is gone.
  Read();
  auto exchange = std::make_shared<ConnectionExchange>(Self(), current_, std::move(request));
  exchange_ = exchange;
  shared().handler->Handle(std::move(exchange));
}

void Http1Connection::Upgrade(HttpRequest request) {
  if (!shared().handler->AcceptsWebSocket(request)) {
    Refuse({404, "no WebSocket is served at this path"}, request);
  } else if (!IsSameOrigin(request) &&
             !AllowsOrigin(shared().options.origins, request.Header("origin"))) {
    Refuse({403,
            "found a WebSocket of a page from elsewhere (Origin), expected one of this server, or "
            "of --cors-origin"},
           request);
  } else {
    const auto self = Self();
    phase_ = Phase::kClosed;
    deadline_ = engine::kNoDeadline;
    SetHeld(0);
    loop().Remove(this);
    request.method = kWebSocketMethod;
    HttpAdmission admission = shared().handler->Admit(request);
    auto socket =
        std::make_shared<WebSocketConnection>(&loop(), std::move(stream_), std::move(request));
    socket->SetClient(std::move(admission.client));
    loop().Add(socket);
    socket->Start();
  }
}

HttpRequest Http1Connection::TakeHead() {
  HttpRequest head = std::move(reader_->request());
  std::string().swap(head.body);
  head.peer = peer_;
  head.started = started_;
  head.client_certificate = client_certificate_;
  return head;
}

void Http1Connection::Refuse(const Refusal& refusal, const HttpRequest& head) {
  Log(LogLevel::kDebug, "request refused",
      {{"peer", peer_}, {"status", refusal.status}, {"why", refusal.why}});
  RefuseWith(shared().handler->Refused(head, refusal), head);
}

void Http1Connection::RefuseWith(HttpResponse answer, const HttpRequest& head) {
  phase_ = Phase::kAnswering;
  deadline_ = engine::kNoDeadline;
  keep_alive_ = false;
  head_only_ = head.method == "HEAD";
  reader_.reset();
  asked_bytes_ = 0;
  in_.clear();
  Send(ResponseText(answer, FrameOf(BodyFraming::kLength)), [self = Self()](bool ok) {
    if (ok) self->BeginEnding();
  });
  Read();
}

ResponseFrame Http1Connection::FrameOf(BodyFraming framing) const {
  ResponseFrame frame;
  frame.framing = framing;
  frame.http11 = http11_;
  frame.keep_alive = keep_alive_;
  frame.head_only = head_only_;
  frame.date = loop().date();
  return frame;
}

void Http1Connection::Send(std::string text, std::function<void(bool ok)> done) {
  Send(Output{std::move(text), nullptr, std::move(done)});
}

void Http1Connection::Send(Output output) {
  out_bytes_ += output.text.size();
  out_.push_back(std::move(output));
  UpdateHeld();
  if (out_.size() == 1) SendNext();
}

void Http1Connection::SendNext() {
  write_deadline_ = Now() + NanosOf(shared().options.write_time);
  std::array<boost::asio::const_buffer, 2> buffers;
  buffers[0] = boost::asio::buffer(out_.front().text);
  if (const auto& shared_text = out_.front().shared) buffers[1] = boost::asio::buffer(*shared_text);
  boost::asio::async_write(*stream_, buffers,
                           [self = Self()](const boost::system::error_code& error, size_t) {
                             if (self->phase_ == Phase::kClosed) return;
                             if (error) {
                               self->Close();
                               return;
                             }
                             self->write_deadline_ = engine::kNoDeadline;
                             const Output sent = std::move(self->out_.front());
                             self->out_.pop_front();
                             self->out_bytes_ -= sent.text.size();
                             self->UpdateHeld();
                             if (!self->out_.empty()) self->SendNext();
                             if (sent.done) sent.done(true);
                           });
}

void Http1Connection::Respond(uint64_t id, HttpResponse response, std::function<void()> sent) {
  if (id != current_ || framing_ != BodyFraming::kLength) {
    if (sent) sent();
    return;
  }
  const bool in_pieces = response.pieces != nullptr && HasBody(response.status);
  if (in_pieces) framing_ = http11_ ? BodyFraming::kChunked : BodyFraming::kClose;
  keep_alive_ = keep_alive_ && !shared().renew && framing_ != BodyFraming::kClose;
  current_ = 0;
  Output output{.text = ResponseText(response, FrameOf(framing_))};
  if (in_pieces) {
    Send(std::move(output));
    SendPieces(std::move(response.pieces), std::move(sent));
    return;
  }
  if (!head_only_ && HasBody(response.status)) output.shared = std::move(response.shared_body);
  output.done = [self = Self(), sent = std::move(sent)](bool ok) {
    if (ok) self->FinishAnswer();
    if (sent) sent();
  };
  Send(std::move(output));
}

void Http1Connection::SendPieces(std::shared_ptr<BodyPieces> pieces, std::function<void()> sent) {
  std::string piece = head_only_ ? std::string() : pieces->Next();
  if (!piece.empty()) {
    Send(framing_ == BodyFraming::kChunked ? ChunkText(piece) : std::move(piece),
         [self = Self(), pieces = std::move(pieces), sent = std::move(sent)](bool ok) mutable {
           if (ok) {
             self->SendPieces(std::move(pieces), std::move(sent));
           } else if (sent) {
             sent();
           }
         });
    return;
  }
  const bool is_marked = framing_ == BodyFraming::kChunked && !head_only_;
  Send(is_marked ? std::string(kLastChunk) : std::string(),
       [self = Self(), sent = std::move(sent)](bool ok) {
         if (ok) self->FinishAnswer();
         if (sent) sent();
       });
}

void Http1Connection::Begin(uint64_t id, const HttpResponse& head) {
  if (id != current_ || framing_ != BodyFraming::kLength) return;
  framing_ = http11_ ? BodyFraming::kChunked : BodyFraming::kClose;
  keep_alive_ = keep_alive_ && !shared().renew && http11_;
  Send(ResponseText(head, FrameOf(framing_)), nullptr);
}

void Http1Connection::Write(uint64_t id, std::string piece, std::function<void(bool)> done) {
  if (id != current_ || framing_ == BodyFraming::kLength) {
    done(false);
  } else if (head_only_ || piece.empty()) {
    done(true);
  } else {
    Send(framing_ == BodyFraming::kChunked ? ChunkText(piece) : std::move(piece), std::move(done));
  }
}

void Http1Connection::End(uint64_t id, bool cut_off) {
  if (id != current_ || framing_ == BodyFraming::kLength) return;
  current_ = 0;
  if (cut_off) keep_alive_ = false;
  const bool marked = framing_ == BodyFraming::kChunked && !cut_off && !head_only_;
  Send(marked ? std::string(kLastChunk) : std::string(), [self = Self()](bool ok) {
    if (ok) self->FinishAnswer();
  });
}

void Http1Connection::Break(uint64_t id) {
  if (id == last_id_ && phase_ == Phase::kAnswering) Close();
}

void Http1Connection::OnDropped(uint64_t id, const HttpRequest& head) {
  if (id != current_) return;
  if (framing_ != BodyFraming::kLength) {
    End(id, true);
    return;
  }
  Log(LogLevel::kError, "a request was not answered", {{"peer", peer_}});
  Respond(id, shared().handler->Refused(head, {500, "the server has lost this request"}), nullptr);
}

void Http1Connection::FinishAnswer() {
  if (const auto exchange = exchange_.lock()) exchange->SetSent();
  exchange_.reset();
  asked_bytes_ = 0;
  if (!keep_alive_) {
    BeginEnding();
    return;
  }
  GoIdle(shared().options.idle_time);
  Parse();
}

void Http1Connection::BeginEnding() {
  phase_ = Phase::kEnding;
  deadline_ = Now() + NanosOf(kEndingTime);
  in_.clear();
  UpdateHeld();
  if (stream_->tls() != nullptr && !tls_ended_) {
    // The pending read must end first, because the TLS shutdown also reads from the socket.
    if (reading_) {
      boost::system::error_code ignored;
      stream_->socket().cancel(ignored);
    } else {
      EndTls();
    }
    return;
  }
  boost::system::error_code ignored;
  stream_->socket().shutdown(SocketStream::Socket::shutdown_send, ignored);
  Read();
}

void Http1Connection::EndTls() {
  tls_ended_ = true;
  reading_ = true;
  stream_->tls()->async_shutdown([self = Self()](const boost::system::error_code&) {
    self->reading_ = false;
    if (self->phase_ == Phase::kClosed) return;
    boost::system::error_code ignored;
    self->stream_->socket().shutdown(SocketStream::Socket::shutdown_send, ignored);
    self->Read();
  });
}

}  // namespace dragoman::server
