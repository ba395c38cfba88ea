// Serves HTTP/1.1 and WebSockets on a port. Takes connections from the listener, reads complete
// requests, hands them to a handler as exchanges and sends the answers.
//
// A few threads serve all connections; each connection stays with one thread. A silent or slow
// client does not delay others. The options bound how much memory and time a client may use.
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

// Whether clients need a certificate that an authority of TlsMaterial::client_ca has issued.
enum class ClientCertificates {
  kNone,
  kAsked,  // a client without a valid certificate is also served (HttpRequest::client_certificate)
  kRequired  // the handshake of a client without a valid certificate fails
};

struct ExchangeServerOptions {
  // Address, limits and maximum age of connections.
  ListenerOptions listener;
  ReadLimits read;
  // Limit on the bytes of incoming requests and outgoing answers, of all connections together.
  // Above the limit, connections are ended (HeldBytes). A request that is not answered yet then
  // gets 503.
  int64_t held_bytes = 0;
  int threads = 1;

  std::chrono::milliseconds header_time{10'000};   // for a TLS handshake, and for the headers
  std::chrono::milliseconds request_time{20'000};  // from the first byte of a request to its last
  // The time for one write, until the client has taken its bytes.
  std::chrono::milliseconds write_time{30'000};
  // How long a connection may stay open between two requests. While three quarters of all
  // connections are open, the limit is one second.
  std::chrono::milliseconds idle_time{75'000};
  // How long a WebSocket may be open between two messages.
  std::chrono::milliseconds web_socket_idle_time{300'000};

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
  // Listens and serves. Returns UNAVAILABLE if it cannot listen. REQUIRES: `handler` and `clock`
  // outlive the server.
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

  // Closes the port and all connections that have no request. Closes a connection with a request
  // after its answer, or after half a second if the answer takes longer. Then waits until every
  // exchange has been destroyed. A second call has no effect. Not thread-safe. REQUIRES: the owner
  // of an exchange destroys it once the client is gone.
  void Shutdown();

 private:
  ExchangeServer();

  std::unique_ptr<HttpShared> shared_;
  std::vector<std::unique_ptr<HttpLoop>> loops_;
  bool is_shut_ = false;
  size_t next_ = 0;                     // used only by the listener's thread
  std::unique_ptr<Listener> listener_;  // its thread uses all members above
};

}  // namespace dragoman::server
