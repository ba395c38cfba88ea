// Serves HTTP/1.1 and WebSockets on a port: takes its connections from the listener, reads requests
// whole, hands them to a handler as exchanges and sends what comes back.
//
// A few threads serve all connections, each connection always by the same thread, as they have
// something to say: no connection has a thread, and silent or slow clients hold up nobody. What a
// client may cost is bounded by the options, before a handler sees anything of it.
//
// Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/clock.h"
#include "server/base/tls_store.h"
#include "server/transport/guard.h"
#include "server/transport/http_exchange.h"
#include "server/transport/request_reader.h"

namespace dragoman::server {

class HttpLoop;
struct HttpShared;

// Which clients need a certificate of the authorities in TlsMaterial.
enum class ClientCertificates {
  kNone,
  kAsked,    // those without a valid one are served too: HttpRequest::client_certificate
  kRequired  // those without a valid one do not get past the handshake
};

struct ExchangeServerOptions {
  // Address, limits and age of connections.
  ListenerOptions listener;
  ReadLimits read;
  // Bytes of requests on their way in and answers on their way out, of all connections together.
  // Beyond it connections are ended (HeldBytes): 503 for a request.
  int64_t held_bytes = 0;
  int threads = 1;

  std::chrono::milliseconds header_time{10'000};   // for a TLS handshake; for a request's headers
  std::chrono::milliseconds request_time{20'000};  // for a whole request, from its first byte on
  std::chrono::milliseconds write_time{30'000};    // for what is sent at a time to be taken
  // Between two requests. With three quarters of all connections open it is a second.
  std::chrono::milliseconds idle_time{75'000};
  std::chrono::milliseconds web_socket_idle_time{300'000};  // between two messages

  // Whose requests are answered; see CheckHost.
  AllowedHosts hosts;
  // Origins whose pages may open WebSockets, besides this server's own; "*": all.
  std::vector<std::string> origins;

  bool close_after_answer = false;  // no connection has a second request

  const TlsStore* tls = nullptr;  // borrowed, outlives the server; nullptr: no TLS
  ClientCertificates clients = ClientCertificates::kNone;
};

class ExchangeServer {
 public:
  // Listens and serves. `handler` and `clock` outlive the server. UNAVAILABLE if it cannot listen.
  static absl::StatusOr<std::unique_ptr<ExchangeServer>> Start(const ExchangeServerOptions& options,
                                                               HttpHandler* handler,
                                                               const engine::Clock* clock);
  // Shuts down.
  ~ExchangeServer();
  ExchangeServer(const ExchangeServer&) = delete;
  ExchangeServer& operator=(const ExchangeServer&) = delete;

  // The text of the address, with the port that was bound.
  const std::string& address() const { return listener_->address(); }
  const Listener& listener() const { return *listener_; }
  Listener* mutable_listener() { return listener_.get(); }

  // From now on every answer ends its connection, so that clients go to another server.
  void RenewConnections();

  // Closes the port and connections without a request at once, those with one after its answer, or
  // in half a second. Then waits until no exchange is held by anyone. Calling it again has no
  // effect. REQUIRES: whoever holds exchanges lets go of them once their client is gone.
  // For one thread.
  void Shutdown();

 private:
  ExchangeServer();

  std::unique_ptr<HttpShared> shared_;
  std::vector<std::unique_ptr<HttpLoop>> loops_;
  bool is_shut_ = false;
  size_t next_ = 0;                     // used by the listener's thread alone
  std::unique_ptr<Listener> listener_;  // its thread uses all of the above
};

}  // namespace dragoman::server
