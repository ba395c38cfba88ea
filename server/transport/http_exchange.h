// One HTTP request and the way back to its client.
//
// The server makes an exchange when a request is whole, and hands it to an HttpHandler. Exactly one
// of Respond and Begin follows, now or later and from any thread: no thread waits for an answer.
//
// Thread-safe where not said otherwise; methods never block. Shared by the server, until the answer
// is sent or the client is gone, and by whoever answers; an exchange that is dropped unanswered is
// refused with 500.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "server/transport/http_message.h"

namespace dragoman::server {

// Whose request it is. While all requests hold too much memory, those without a key go first, and then
// those of the client that holds most (held_bytes.h).
struct RequestClient {
  std::string name;  // the key's client, or the address
  bool has_key = false;
};

class HttpExchange {
 public:
  virtual ~HttpExchange() = default;

  virtual const HttpRequest& request() const = 0;

  // Calls `gone` once, from any thread and without locks, if the client closes its connection (or
  // is cut off) before the answer has been sent; at once if that has happened. One is set at a time:
  // a later one takes its place.
  virtual void OnGone(std::function<void()> gone) = 0;

  // Counts `bytes` for an answer that is about to be built, in place of what was counted before, until
  // Respond or Write, which count what they are given themselves. False: the client is gone or is cut
  // off, perhaps because all answers together hold too much, and nothing needs to be built. The default
  // counts nothing.
  virtual bool Reserve(int64_t /*bytes*/) { return true; }

  // The request is that of a client with a key, which was found in its body. The default is for servers
  // without keys.
  virtual void SetClient(RequestClient /*client*/) {}

  // Sends the whole answer. `sent`, which may be empty, is called once when it is on its way or
  // will never be.
  virtual void Respond(HttpResponse response, std::function<void()> sent) = 0;
  void Respond(HttpResponse response) { Respond(std::move(response), nullptr); }

  // Begins an answer that comes in pieces (chunked; `head.body` is not sent). After it Write and
  // End; both are called by one thread at a time.
  virtual void Begin(HttpResponse head) = 0;
  // Sends a piece, which is not empty. `done` is called once: false if the client is gone. Until
  // then neither Write nor End is called.
  virtual void Write(std::string piece, std::function<void(bool ok)> done) = 0;
  // The answer is complete. With `cut_off` it is not, and the client is to notice that: the
  // connection ends without the last chunk.
  virtual void End(bool cut_off) = 0;

  // Makes the piece that is being sent fail soon, by closing the connection.
  virtual void Break() = 0;
};

// The answer with the reason as plain text, for clients of no dialect.
HttpResponse PlainRefusal(const Refusal& refusal);

// The handler's verdict on a request whose headers have come.
struct HttpAdmission {
  RequestClient client;
  // The request is refused with this answer: nothing more of its body is read, and the connection ends.
  std::optional<HttpResponse> refusal;
};

// Answers the requests of a server. Called on the server's threads: it must not block.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Whether a WebSocket may be opened at this path; false: the upgrade is answered with 404.
  virtual bool AcceptsWebSocket(const HttpRequest& upgrade) const = 0;
  virtual void Handle(std::shared_ptr<HttpExchange> exchange) = 0;
  // Looks at a request, or the upgrade to a WebSocket, before its body is read. `head` has no body. By
  // default every request is admitted, as one of a client without a key.
  virtual HttpAdmission Admit(const HttpRequest& head) {
    return {{.name = head.peer}, std::nullopt};
  }
  // The answer to a request, or to a message of a WebSocket, that the server refuses itself. `head`
  // has what was understood of it, and no body; its path is "" where that was not.
  virtual HttpResponse Refused(const HttpRequest& /*head*/, const Refusal& refusal) {
    return PlainRefusal(refusal);
  }
};

}  // namespace dragoman::server
