// One HTTP request and the means to answer it.
//
// The server hands an exchange to an HttpHandler when a request is complete. The handler calls
// exactly one of Respond and Begin, at any time and from any thread.
//
// Thread-safe except where a method says otherwise. Methods never block. The handler owns the
// exchange. If it is destroyed without an answer, the client gets 500.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "server/transport/http_message.h"

namespace dragoman::server {

// The client of a request. If all requests together use too much memory, connections of clients
// without an API key are ended first, then connections of the client with the most bytes
// (held_bytes.h).
struct RequestClient {
  std::string name;  // the client of the API key, or the client's address
  bool has_key = false;
};

class HttpExchange {
 public:
  virtual ~HttpExchange() = default;

  virtual const HttpRequest& request() const = 0;

  // Calls `gone` once, from any thread and without locks, if the client closes its connection or is
  // cut off before the answer has been sent. If that has already happened, calls `gone` at once. If
  // OnGone is called again, the new `gone` replaces the previous one.
  virtual void OnGone(std::function<void()> gone) = 0;

  // Reserves `bytes` for an answer that is about to be built. Each Reserve, Respond and Write
  // replaces the previous reservation. Returns false if the client is gone or is being cut off, for
  // example because all answers together use too much memory. The default implementation reserves
  // nothing.
  virtual bool Reserve(int64_t /*bytes*/) { return true; }

  // Sets the client after its key was found in the body of the request. The default implementation
  // does nothing.
  virtual void SetClient(RequestClient /*client*/) {}

  // Sends the complete answer. Calls `sent`, unless it is empty, once sending has succeeded or
  // failed.
  virtual void Respond(HttpResponse response, std::function<void()> sent) = 0;
  void Respond(HttpResponse response) { Respond(std::move(response), nullptr); }

  // Begins an answer in pieces. Sends the headers of `head`, but not its body. Calls of Write and
  // then End follow. Only one thread at a time may call them.
  virtual void Begin(HttpResponse head) = 0;
  // Sends a piece, which must not be empty. Calls `done` once, with false if the client is gone.
  // Neither Write nor End may be called before `done`.
  virtual void Write(std::string piece, std::function<void(bool ok)> done) = 0;
  // Ends the answer. With `cut_off` the answer is incomplete: the connection ends without the last
  // chunk, so that the client notices.
  virtual void End(bool cut_off) = 0;

  // Closes the connection, so that the piece that is being sent fails soon.
  virtual void Break() = 0;
};

// Returns an answer that has the reason for the refusal as plain text.
HttpResponse PlainRefusal(const Refusal& refusal);

// The handler's decision on a request whose headers were read.
struct HttpAdmission {
  RequestClient client;
  // If set, the server sends this answer and ends the connection without reading the body.
  std::optional<HttpResponse> refusal;
};

// Answers the requests of a server. Called on the server's threads. Must not block.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Reports whether a WebSocket may be opened at this path. If not, the upgrade gets 404.
  virtual bool AcceptsWebSocket(const HttpRequest& upgrade) const = 0;
  virtual void Handle(std::shared_ptr<HttpExchange> exchange) = 0;
  // Decides on a request, or on the upgrade to a WebSocket, before its body is read. `head` is the
  // request without its body. The default implementation admits every request and counts it as one
  // of a client without an API key.
  virtual HttpAdmission Admit(const HttpRequest& head) {
    return {{.name = head.peer}, std::nullopt};
  }
  // Returns the answer to a request, or to a WebSocket message, that the server itself refuses.
  // `head` is the part of the request that was parsed, without a body. `head.path` is "" if the
  // path was not parsed.
  virtual HttpResponse Refused(const HttpRequest& /*head*/, const Refusal& refusal) {
    return PlainRefusal(refusal);
  }
};

}  // namespace dragoman::server
