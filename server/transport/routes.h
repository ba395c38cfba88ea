// The answers of the HTTP port, without the network: /metrics, /livez, /readyz and /status.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "server/transport/http_message.h"

namespace dragoman::server {

// Called at any time between the server's start and its destruction: `metrics` from a thread of its
// own, one call at a time; the others from the threads that serve connections, which they must not
// hold up.
struct HttpHooks {
  std::function<std::string()> metrics;
  // "" when all is well, else the reason, which is answered with 503.
  std::function<std::string()> not_live;
  std::function<std::string()> not_ready;
};

// Whether the answer may take long: see scraper.h.
bool IsScrape(std::string_view method, std::string_view path);

// The answer to a request. `path` is without the query.
HttpResponse RouteHttp(std::string_view method, std::string_view path, const HttpHooks& hooks);

}  // namespace dragoman::server
