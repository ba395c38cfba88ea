#include "server/transport/web_socket_connection.h"

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/error.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/utf8.h"
#include "server/base/log.h"
#include "server/base/steady_clock.h"

namespace dragoman::server {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;

// The maximum number of bytes that one read adds to a message. The limits on memory are checked
// after each read.
constexpr size_t kReadBytes = 16 * 1024;
// Beast refuses a frame that announces more bytes than this, and sends no reason. Other frames that
// are too long are refused with the handler's text once their first bytes arrive.
constexpr uint64_t kAbsurdBytes = uint64_t{1} << 40;
constexpr uint16_t kLastCloseCode = 4999;
// The time for a client to answer the close frame.
constexpr engine::Nanos kEndingNanos = 2 * kNanosPerSecond;

http::request<http::empty_body> BeastRequest(const HttpRequest& request) {
  http::request<http::empty_body> out;
  out.version(11);
  out.method(http::verb::get);
  out.target("/");
  for (const auto& [name, value] : request.headers) out.insert(name, value);
  return out;
}

websocket::close_code CloseCodeOf(int status) {
  if (status == 413) return websocket::close_code::too_big;
  if (status == 415) return websocket::close_code::unknown_data;
  if (status == 429 || status == 503) return websocket::close_code::try_again_later;
  return status < 500 ? websocket::close_code::policy_error : websocket::close_code::internal_error;
}

// Truncates the text, at a character boundary, to the 123 bytes of UTF-8 that a close frame allows.
websocket::reason_string ReasonText(std::string_view text) {
  text = text.substr(0, websocket::reason_string::static_capacity);
  text.remove_suffix(static_cast<size_t>(engine::IncompleteUtf8Tail(text)));
  return {text.data(), text.size()};
}

}  // namespace

WebSocketConnection::WebSocketConnection(HttpLoop* loop, std::unique_ptr<SocketStream> stream,
                                         HttpRequest upgrade)
    : HttpConnection(loop),
      stream_(std::move(stream)),
      socket_(*stream_),
      upgrade_(std::move(upgrade)),
      in_(shared().options.read.body_bytes + 1) {
  websocket::stream_base::timeout none{};
  none.handshake_timeout = websocket::stream_base::none();
  none.idle_timeout = websocket::stream_base::none();
  none.keep_alive_pings = false;
  // Beast must have no time limits, because OnTick checks all of them.
  socket_.set_option(none);
  // Sends each answer as one frame.
  socket_.auto_fragment(false);
  socket_.read_message_max(kAbsurdBytes);
  // Closes the connection itself, because Beast would echo close codes that no endpoint may send
  // (RFC 6455, 7.4.2: none above 4999).
  socket_.control_callback([this](websocket::frame_type type, beast::string_view /*payload*/) {
    if (type == websocket::frame_type::close && socket_.reason().code > kLastCloseCode) Close();
  });
  socket_.set_option(websocket::stream_base::decorator(
      [](websocket::response_type& response) { response.set(http::field::server, "dragomand"); }));
}

std::shared_ptr<WebSocketConnection> WebSocketConnection::Self() {
  return std::static_pointer_cast<WebSocketConnection>(shared_from_this());
}

void WebSocketConnection::Start() {
  deadline_ = Now() + NanosOf(shared().options.header_time);
  socket_.async_accept(BeastRequest(upgrade_), [self = Self()](const beast::error_code& error) {
    if (self->closed_) return;
    if (error) {  // Beast has told the client
      self->Close();
      return;
    }
    self->open_ = true;
    self->socket_.text(true);
    self->deadline_ = self->Now() + NanosOf(self->shared().options.web_socket_idle_time);
    self->Read();
  });
}

void WebSocketConnection::OnTick(engine::Nanos now) {
  if (now >= write_deadline_ || (now >= deadline_ && (ending_ || !open_))) {
    Close();
  } else if (now >= deadline_ && current_ == 0 && !writing_) {
    if (message_began_ != 0) {
      Refuse({408, "the message took too long to arrive"});
    } else {
      EndWith(CloseCode::going_away);
    }
  }
}

void WebSocketConnection::EndIdle() {
  if (!open_) {
    Close();
  } else if (current_ == 0 && !writing_) {
    EndWith(CloseCode::going_away);
  }
}

void WebSocketConnection::Close() {
  if (closed_) return;
  const auto self = Self();
  closed_ = true;
  deadline_ = write_deadline_ = engine::kNoDeadline;
  stream_->Close();
  loop().Remove(this);
  SetHeld(0);
  current_ = 0;
  if (const auto sent = std::exchange(sent_, nullptr)) sent();
  if (const auto exchange = exchange_.lock()) exchange->SetGone();
}

void WebSocketConnection::OnEvicted() {
  if (current_ == 0 && !writing_) {
    Refuse({503, absl::StrCat("requests that are not answered hold more than ",
                              shared().held.limit(), " bytes, this one most of them")});
  } else {
    Close();
  }
}

void WebSocketConnection::UpdateHeld() {
  if (!closed_) SetHeld(in_.capacity() + asked_bytes_ + out_.size());
}

void WebSocketConnection::Read() {
  if (closed_ || reading_ || message_waits_) return;
  reading_ = true;
  socket_.async_read_some(in_, kReadBytes,
                          [self = Self()](const beast::error_code& error, size_t /*bytes*/) {
                            self->reading_ = false;
                            self->OnRead(error);
                          });
}

void WebSocketConnection::OnRead(const beast::error_code& error) {
  if (closed_) return;
  if (error) {  // includes a close frame, which Beast has answered
    Close();
    return;
  }
  if (ending_) {
    in_.clear();
    Read();
    return;
  }
  if (message_began_ == 0) {
    message_began_ = Now();
    deadline_ = message_began_ + NanosOf(shared().options.request_time);
  }
  UpdateHeld();
  if (!socket_.got_text()) {
    Refuse({415, "found a binary message, expected text"});
    return;
  }
  if (IsTooLong()) {
    Refuse({413, absl::StrCat("found a longer message than allowed, expected at most ",
                              shared().options.read.body_bytes, " bytes")});
    return;
  }
  if (!socket_.is_message_done()) {
    Read();
    return;
  }
  message_waits_ = true;
  deadline_ = engine::kNoDeadline;
  HandleNext();
}

bool WebSocketConnection::IsTooLong() const {
  const size_t limit = shared().options.read.body_bytes;
  if (in_.size() > limit) return true;
  if (socket_.is_message_done()) return false;
  // read_size_hint returns the rest of the frame. A hint of 1 only means that the message goes on.
  const size_t left = socket_.read_size_hint(size_t{1});
  return left > 1 && left > limit - in_.size();
}

void WebSocketConnection::HandleNext() {
  if (!message_waits_ || current_ != 0 || writing_ || ending_ || closed_) return;
  HttpRequest request = upgrade_;
  request.method = kWebSocketMethod;
  const auto bytes = in_.cdata();
  request.body.assign(static_cast<const char*>(bytes.data()), bytes.size());
  request.started = std::exchange(message_began_, 0);
  in_ = beast::flat_buffer(in_.max_size());
  message_waits_ = false;
  asked_bytes_ = request.body.size();
  UpdateHeld();
  current_ = ++last_id_;
  auto exchange = std::make_shared<ConnectionExchange>(Self(), current_, std::move(request));
  exchange_ = exchange;
  // Reads the next message meanwhile, because only a read shows that the client is gone.
  Read();
  shared().handler->Handle(std::move(exchange));
}

void WebSocketConnection::Respond(uint64_t id, HttpResponse response, std::function<void()> sent) {
  if (id != current_) {
    if (sent) sent();
    return;
  }
  current_ = 0;
  if (response.status >= 400) {
    sent_ = std::move(sent);
    if (const auto exchange = exchange_.lock()) exchange->SetSent();
    exchange_.reset();
    EndWith(CloseCodeOf(response.status), response.body);
    return;
  }
  writing_ = true;
  out_ = response.shared_body == nullptr ? std::move(response.body) : *response.shared_body;
  while (response.pieces != nullptr) {
    const std::string piece = response.pieces->Next();
    if (piece.empty()) break;
    out_ += piece;
  }
  sent_ = std::move(sent);
  UpdateHeld();
  write_deadline_ = Now() + NanosOf(shared().options.write_time);
  socket_.async_write(boost::asio::buffer(out_),
                      [self = Self()](const beast::error_code& error, size_t /*bytes*/) {
                        if (self->closed_) return;
                        if (error) {
                          self->Close();
                          return;
                        }
                        self->OnAnswered();
                      });
}

void WebSocketConnection::OnAnswered() {
  writing_ = false;
  write_deadline_ = engine::kNoDeadline;
  std::string().swap(out_);
  asked_bytes_ = 0;
  UpdateHeld();
  if (const auto exchange = exchange_.lock()) exchange->SetSent();
  exchange_.reset();
  if (const auto sent = std::exchange(sent_, nullptr)) sent();
  if (shared().renew && !message_waits_) {
    EndWith(CloseCode::going_away);
    return;
  }
  if (message_began_ == 0) {
    deadline_ = Now() + NanosOf(shared().options.web_socket_idle_time);
  }
  HandleNext();
}

void WebSocketConnection::EndWith(CloseCode code, std::string_view reason) {
  if (ending_ || closed_) return;
  ending_ = true;
  message_waits_ = false;
  in_.clear();
  deadline_ = Now() + kEndingNanos;
  websocket::close_reason close(code);
  if (!reason.empty()) close.reason = ReasonText(reason);
  socket_.async_close(close, [self = Self()](const beast::error_code&) { self->Close(); });
}

void WebSocketConnection::Refuse(const Refusal& refusal) {
  if (ending_ || closed_) return;
  Log(LogLevel::kDebug, "message refused",
      {{"peer", upgrade_.peer}, {"status", refusal.status}, {"why", refusal.why}});
  HttpRequest head = upgrade_;
  head.method = kWebSocketMethod;
  head.started = message_began_;
  const HttpResponse words = shared().handler->Refused(head, refusal);
  EndWith(CloseCodeOf(refusal.status), words.body.substr(0, words.body.find('\n')));
}

void WebSocketConnection::Begin(uint64_t id, const HttpResponse& /*head*/) {
  if (id == current_) Close();
}

void WebSocketConnection::Write(uint64_t /*id*/, std::string /*piece*/,
                                std::function<void(bool)> done) {
  done(false);
}

void WebSocketConnection::End(uint64_t id, bool /*cut_off*/) {
  if (id == current_) Close();
}

void WebSocketConnection::Break(uint64_t id) {
  if (id == last_id_ && (current_ != 0 || writing_)) Close();
}

void WebSocketConnection::OnDropped(uint64_t id, const HttpRequest& /*head*/) {
  if (id != current_) return;
  Log(LogLevel::kError, "a message was not answered", {{"peer", upgrade_.peer}});
  current_ = 0;
  Refuse({500, "the server has lost this message"});
}

}  // namespace dragoman::server
