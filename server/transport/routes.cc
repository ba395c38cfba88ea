#include "server/transport/routes.h"

namespace dragoman::server {
namespace {

constexpr std::string_view kMetrics = "/metrics";

bool IsRead(std::string_view method) { return method == "GET" || method == "HEAD"; }

HttpResponse Health(const std::string& wrong, const char* well) {
  return {.status = wrong.empty() ? 200 : 503,
          .body = (wrong.empty() ? std::string(well) : wrong) + "\n"};
}

}  // namespace

bool IsScrape(std::string_view method, std::string_view path) {
  return IsRead(method) && path == kMetrics;
}

HttpResponse RouteHttp(std::string_view method, std::string_view path, const HttpHooks& hooks) {
  if (!IsRead(method)) {
    return {.status = 405,
            .headers = {{"Allow", "GET, HEAD"}},
            .body = "found another method, expected GET or HEAD\n"};
  }
  if (path == kMetrics) {
    return {.content_type = "text/plain; version=0.0.4; charset=utf-8", .body = hooks.metrics()};
  }
  if (path == "/livez") return Health(hooks.not_live(), "ok");
  if (path == "/readyz") return Health(hooks.not_ready(), "ready");
  if (path == "/status") {
    return {.content_type = "text/html; charset=utf-8",
            .headers = {{"Content-Security-Policy", std::string(kStatusPagePolicy)}},
            .body = std::string(StatusPage())};
  }
  return {.status = 404, .body = "no such path, expected /metrics, /livez, /readyz or /status\n"};
}

}  // namespace dragoman::server
