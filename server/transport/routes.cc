#include "server/transport/routes.h"

namespace dragoman::server {
namespace {

constexpr std::string_view kMetrics = "/metrics";

bool IsRead(std::string_view method) { return method == "GET" || method == "HEAD"; }

HttpResponse Health(const std::string& wrong, const char* well) {
  HttpResponse response;
  response.status = wrong.empty() ? 200 : 503;
  response.body = (wrong.empty() ? std::string(well) : wrong) + "\n";
  return response;
}

}  // namespace

bool IsScrape(std::string_view method, std::string_view path) {
  return IsRead(method) && path == kMetrics;
}

HttpResponse RouteHttp(std::string_view method, std::string_view path, const HttpHooks& hooks) {
  HttpResponse response;
  if (!IsRead(method)) {
    response.status = 405;
    response.headers.emplace_back("Allow", "GET, HEAD");
    response.body = "found another method, expected GET or HEAD\n";
    return response;
  }
  if (path == kMetrics) {
    response.content_type = "text/plain; version=0.0.4; charset=utf-8";
    response.body = hooks.metrics();
  } else if (path == "/livez") {
    response = Health(hooks.not_live(), "ok");
  } else if (path == "/readyz") {
    response = Health(hooks.not_ready(), "ready");
  } else if (path == "/status") {
    response.content_type = "text/html; charset=utf-8";
    response.headers.emplace_back("Content-Security-Policy", kStatusPagePolicy);
    response.body = StatusPage();
  } else {
    response.status = 404;
    response.body = "no such path, expected /metrics, /livez, /readyz or /status\n";
  }
  return response;
}

}  // namespace dragoman::server
