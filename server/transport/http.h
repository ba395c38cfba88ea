// The port for operators: /metrics, /livez, /readyz and /status.
//
// Thread-safe. One thread serves all connections in turn as they have something to say, so that
// silent and slow clients do not hold up others; scrapes are made on another, so that probes do not
// wait for them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/base/steady_clock.h"
#include "server/base/tls_store.h"
#include "server/transport/exchange_server.h"
#include "server/transport/http_exchange.h"
#include "server/transport/routes.h"
#include "server/transport/scraper.h"

namespace dragoman::server {

// Requests of /metrics that may wait for the next scrape; further ones get 503. With the
// requests of the scrape that is being made they are at most as many as the smallest limit on
// connections.
inline constexpr size_t kMaxWaitingScrapes = 8;

// Borrowed; outlives the server.
struct HttpTls {
  const TlsStore* store = nullptr;  // nullptr: no TLS
  // Every path but /livez and /readyz needs a client's certificate of the store's authorities:
  // probes have none.
  bool mutual = false;
};

class HttpServer final : private HttpHandler {
 public:
  // Listens on `address`, by sockets that do already if there are some (ListenerOptions::inherited);
  // UNAVAILABLE if that fails. Has up to `max_connections`, of which the
  // oldest goes for a new one, and none for longer than 10 s or for a second request. Answers to `hosts`
  // (CheckHost).
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const Address& address, HttpHooks hooks,
                                                           int max_connections, HttpTls tls = {},
                                                           std::vector<int> inherited = {},
                                                           AllowedHosts hosts = std::nullopt);
  // Waits for requests that are being answered.
  ~HttpServer() override;
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // The text of the address, with the port that was bound.
  const std::string& address() const { return server_->address(); }
  Listener* listener() { return server_->mutable_listener(); }

 private:
  HttpServer(HttpHooks hooks, HttpTls tls);

  bool AcceptsWebSocket(const HttpRequest& upgrade) const override;
  void Handle(std::shared_ptr<HttpExchange> exchange) override;

  const SteadyClock clock_;
  const HttpHooks hooks_;
  const HttpTls tls_;
  Scraper scraper_;
  std::unique_ptr<ExchangeServer> server_;
};

}  // namespace dragoman::server
