// The HTTP side of the daemon: /metrics, /livez and /readyz on a port of their own.
//
// Thread-safe. Four threads at most serve it, so that a slow scraper costs nothing else.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

struct mg_context;

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
  std::string body;
  bool send_body = true;
};

// What is answered to a request; no network. `path` is without the query.
HttpResponse RouteHttp(std::string_view method, std::string_view path, const HttpHooks& hooks);

class HttpServer {
 public:
  // Listens on `address`, host:port; UNAVAILABLE if that fails.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const std::string& address,
                                                           HttpHooks hooks);
  // Waits for requests that are being answered.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // With the port that was bound.
  const std::string& address() const { return address_; }
  const HttpHooks& hooks() const { return hooks_; }

 private:
  explicit HttpServer(HttpHooks hooks) : hooks_(std::move(hooks)) {}

  const HttpHooks hooks_;
  std::string address_;
  mg_context* context_ = nullptr;
};

}  // namespace dragoman
