// Builds the answers of the operators' port: /metrics, /livez, /readyz and /status. The HTTP server
// calls it; nothing here reads or writes sockets.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "server/transport/http_message.h"

namespace dragoman::server {

// Functions that the answers call, at any time while the server exists. `metrics` is called on the
// scraper's thread, one call at a time. `not_live` and `not_ready` must not block, because threads
// that serve connections call them.
struct HttpHooks {
  std::function<std::string()> metrics;
  // not_live and not_ready return "" if all is well. Otherwise they return the reason, which the
  // client gets with status 503.
  std::function<std::string()> not_live;
  std::function<std::string()> not_ready;
};

// Reports whether the request is for /metrics, whose answer may take long to make (scraper.h).
bool IsScrape(std::string_view method, std::string_view path);

// `path` is without the query.
HttpResponse RouteHttp(std::string_view method, std::string_view path, const HttpHooks& hooks);

// Returns the text of the status page, which is constant data of the program: CMake embeds
// status_page.html. The page loads only /metrics.
std::string_view StatusPage();

// The page's Content-Security-Policy: allows its inline scripts and styles, and requests to this
// server.
inline constexpr std::string_view kStatusPagePolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

}  // namespace dragoman::server
