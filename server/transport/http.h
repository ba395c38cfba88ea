// The port for operators: /metrics, /livez, /readyz and /status.
//
// Thread-safe. One thread serves all connections; a silent or slow client does not delay others. A
// second thread makes scrapes, so that probes do not wait for them.
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

// The maximum number of requests of /metrics that wait for the next scrape. Further requests get
// 503. As many requests may wait for the scrape that is being made, so this is half of the smallest
// limit on connections (HttpConnections).
inline constexpr size_t kMaxWaitingScrapes = 8;

struct HttpTls {
  const TlsStore* store = nullptr;  // borrowed, outlives the server; nullptr: no TLS
  // If true, every path except /livez and /readyz needs a client certificate that an authority of
  // `store` has issued. Probes use these two paths and have no certificate.
  bool mutual = false;
};

class HttpServer final : private HttpHandler {
 public:
  // Listens on `address`, or on the sockets `inherited` (see ListenerOptions). Returns UNAVAILABLE
  // if that fails. Allows `max_connections` connections. A further connection replaces the oldest
  // one. Ends a connection after its first answer or after 10 s. Serves only requests whose Host is
  // one of `hosts` (CheckHost).
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const Address& address, HttpHooks hooks,
                                                           int max_connections, HttpTls tls = {},
                                                           std::vector<int> inherited = {},
                                                           AllowedHosts hosts = std::nullopt);
  // Waits until the requests in progress have been answered.
  ~HttpServer() override;
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // The address, with the port that was bound.
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
