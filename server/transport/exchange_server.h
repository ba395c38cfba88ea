// Serves HTTP/1.1 and WebSockets on a port. Takes connections from the listener, reads complete
// requests, hands them to a handler as exchanges and sends the answers.
//
// A few threads serve all connections, each connection always the same thread. Silent and slow
// clients do not delay others. The options bound the cost of a client.
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

// Whether clients need a certificate of the authorities in TlsMaterial.
enum class ClientCertificates {
  kNone,
  kAsked,    // clients without a valid one are served too; see HttpRequest::client_certificate
  kRequired  // the handshake of a client without a valid one fails
};

struct ExchangeServerOptions {
  // Address, limits and maximum age of connections.
  ListenerOptions listener;
  ReadLimits read;
  // Limit on the bytes of incoming requests and outgoing answers, of all connections together.
  // Above it connections are ended (HeldBytes), and a request gets 503.
  int64_t held_bytes = 0;
  int threads = 1;

  std::chrono::milliseconds header_time{10'000};   // for a TLS handshake; for a request's headers
  std::chrono::milliseconds request_time{20'000};  // for a complete request, from its first byte on
  std::chrono::milliseconds write_time{30'000};    // for the client to take one write
  // Between two requests. It is one second while three quarters of all connections are open.
  std::chrono::milliseconds idle_time{75'000};
  std::chrono::milliseconds web_socket_idle_time{300'000};  // between two messages

  // Accepted values of the header Host; see CheckHost.
  AllowedHosts hosts;
  // Origins whose pages may open WebSockets, in addition to this server's own; "*": all.
  std::vector<std::string> origins;

  bool close_after_answer = false;  // closes each connection after its first answer

  const TlsStore* tls = nullptr;  // borrowed, outlives the server; nullptr: no TLS
  ClientCertificates clients = ClientCertificates::kNone;
};

class ExchangeServer {
 public:
  // Listens and serves. `handler` and `clock` must outlive the server. UNAVAILABLE if it cannot
  // listen.
  static absl::StatusOr<std::unique_ptr<ExchangeServer>> Start(const ExchangeServerOptions& options,
                                                               HttpHandler* handler,
                                                               const engine::Clock* clock);
  ~ExchangeServer();
  ExchangeServer(const ExchangeServer&) = delete;
  ExchangeServer& operator=(const ExchangeServer&) = delete;

  // The address, with the port that was bound.
  const std::string& address() const { return listener_->address(); }
  const Listener& listener() const { return *listener_; }
  Listener* mutable_listener() { return listener_.get(); }

  // Makes every further answer close its connection, so that clients connect to another server.
  void RenewConnections();

  // Closes the port and the connections without a request at once. Closes a connection with a
  // request after the answer, or after half a second. Then waits until every exchange has been
  // released. A second call has no effect. REQUIRES: the holder of an exchange releases it once the
  // client is gone. Not thread-safe.
  void Shutdown();

 private:
  ExchangeServer();

  std::unique_ptr<HttpShared> shared_;
  std::vector<std::unique_ptr<HttpLoop>> loops_;
  bool is_shut_ = false;
  size_t next_ = 0;                     // used only by the listener's thread
  std::unique_ptr<Listener> listener_;  // its thread uses all of the above
};

}  // namespace dragoman::server
