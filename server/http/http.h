// The HTTP side of the daemon: /metrics, /livez, /readyz and /status on a port of their own.
//
// Thread-safe. One thread serves all connections in turn as they have something to say, so that
// silent and slow clients do not hold up others; scrapes are made on another, so that probes do not
// wait for them.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "server/guard/guard.h"
#include "server/http/http_library.h"
#include "server/http/routes.h"
#include "server/http/scraper.h"
#include "server/security/tls_store.h"

namespace dragoman {

// Requests of /metrics that may wait for the next scrape; further ones get 503. With the
// requests of the scrape that is being made they are at most as many as the smallest limit on
// connections; the library takes twice that limit.
inline constexpr size_t kMaxWaitingScrapes = 8;

// Borrowed; outlives the server.
struct HttpTls {
  const TlsStore* store = nullptr;  // nullptr: no TLS
  // Every path but /livez and /readyz needs a client's certificate of the store's authorities:
  // probes have none.
  bool mutual = false;
};

class HttpServer {
 public:
  // Listens on `address`; UNAVAILABLE if that fails. Has up to `max_connections`, of
  // which the oldest goes for a new one, and none for longer than 10 s.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const Address& address, HttpHooks hooks,
                                                           int max_connections, HttpTls tls = {});
  // Waits for requests that are being answered.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // The text of the address, with the port that was bound.
  const std::string& address() const { return listener_->address(); }

 private:
  // A library with its certificate. For a new certificate another library is started, and the old
  // one keeps its connections until they are too old.
  struct Generation {
    std::unique_ptr<HttpLibrary> library;
    std::shared_ptr<const TlsMaterial> material;
    std::chrono::steady_clock::time_point retired;
  };

  HttpServer(HttpHooks hooks, HttpTls tls);

  std::unique_ptr<HttpLibrary> StartLibrary(const TlsMaterial* material);
  // Both run on the listener's thread.
  void Take(int fd);
  void Renew();

  const HttpHooks hooks_;
  const HttpTls tls_;
  Scraper scraper_;
  std::unique_ptr<Listener> listener_;
  Generation present_;                          // used by the listener's thread alone, once it runs
  std::vector<Generation> retired_;             // likewise
  std::shared_ptr<const TlsMaterial> refused_;  // what the library did not start with
};

}  // namespace dragoman
