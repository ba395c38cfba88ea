// The HTTP side of the daemon: /metrics, /livez, /readyz and /status on a port of their own.
//
// Thread-safe. One thread serves all connections in turn as they have something to say, so that
// silent and slow clients cost nobody else anything.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "server/net/listener.h"
#include "server/security/tls_store.h"

struct MHD_Daemon;

namespace dragoman {

// Called from HTTP threads, at any time between Start and the server's destruction.
struct HttpHooks {
  std::function<std::string()> metrics;
  // "" when all is well, else what is wrong: the answer is then 503 with it.
  std::function<std::string()> not_live;
  std::function<std::string()> not_ready;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string policy;  // Content-Security-Policy; "": none, for what is no page
  std::string body;
};

// Borrowed; outlives the server.
struct HttpTls {
  const TlsStore* store = nullptr;  // nullptr: no TLS
  // Whoever wants more than /livez and /readyz needs a certificate of the store's authorities:
  // those that probe have none.
  bool mutual = false;
};

// What is answered to a request; no network. `path` is without the query.
HttpResponse RouteHttp(std::string_view method, std::string_view path, const HttpHooks& hooks);

class HttpServer {
 public:
  // Listens on `address`, host:port; UNAVAILABLE if that fails. Has up to `max_connections`, of
  // which the oldest goes for a new one, and none for longer than 10 s.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const std::string& address,
                                                           HttpHooks hooks, int max_connections,
                                                           HttpTls tls = {});
  // Waits for requests that are being answered.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // With the port that was bound.
  const std::string& address() const { return listener_->address(); }
  const HttpHooks& hooks() const { return hooks_; }
  bool mutual() const { return tls_.mutual; }

 private:
  // The library reads certificates once, when it starts. So for new ones another is started, and
  // the old one keeps its connections until they are too old.
  struct Library {
    MHD_Daemon* daemon = nullptr;
    std::shared_ptr<const TlsMaterial> material;
    std::chrono::steady_clock::time_point retired;
  };

  HttpServer(HttpHooks hooks, HttpTls tls) : hooks_(std::move(hooks)), tls_(tls) {}

  // Null if it does not start.
  MHD_Daemon* StartLibrary(const TlsMaterial* material);
  // Both on the listener's thread.
  void Take(int fd);
  void Renew();

  const HttpHooks hooks_;
  const HttpTls tls_;
  std::unique_ptr<Listener> listener_;
  Library library_;                             // of the listener's thread, once it runs
  std::vector<Library> retired_;                // likewise
  std::shared_ptr<const TlsMaterial> refused_;  // what the library did not start with
};

}  // namespace dragoman
