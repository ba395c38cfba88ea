#include "server/http.h"

#include <civetweb.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/log.h"

namespace dragoman {
namespace {

const char* Reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    default:
      return "Service Unavailable";
  }
}

int Answer(mg_connection* connection, void* data) {
  const auto* server = static_cast<const HttpServer*>(data);
  const mg_request_info* request = mg_get_request_info(connection);
  const HttpResponse response =
      RouteHttp(request->request_method, request->local_uri, server->hooks());
  std::string text = absl::StrCat("HTTP/1.1 ", response.status, " ", Reason(response.status),
                                  "\r\nContent-Type: ", response.content_type,
                                  "\r\nContent-Length: ", response.body.size(),
                                  response.status == 405 ? "\r\nAllow: GET, HEAD" : "",
                                  "\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n");
  if (response.send_body) text += response.body;
  mg_write(connection, text.data(), text.size());
  return response.status;
}

int LogCivetweb(const mg_connection* /*connection*/, const char* message) {
  Log(LogLevel::kWarn, "http", {{"detail", message}});
  return 1;  // handled
}

HttpResponse Health(const std::string& wrong, const char* well) {
  HttpResponse response;
  response.status = wrong.empty() ? 200 : 503;
  response.body = (wrong.empty() ? std::string(well) : wrong) + "\n";
  return response;
}

}  // namespace

HttpResponse RouteHttp(std::string_view method, std::string_view path, const HttpHooks& hooks) {
  HttpResponse response;
  if (method != "GET" && method != "HEAD") {
    response.status = 405;
    response.body = "only GET and HEAD\n";
    return response;
  }
  if (path == "/metrics") {
    response.content_type = "text/plain; version=0.0.4; charset=utf-8";
    response.body = hooks.metrics();
  } else if (path == "/livez") {
    response = Health(hooks.not_live(), "ok");
  } else if (path == "/readyz") {
    response = Health(hooks.not_ready(), "ready");
  } else {
    response.status = 404;
    response.body = "there are /metrics, /livez and /readyz\n";
  }
  response.send_body = method == "GET";
  return response;
}

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const std::string& address,
                                                              HttpHooks hooks) {
  std::unique_ptr<HttpServer> server(new HttpServer(std::move(hooks)));
  mg_init_library(0);
  mg_callbacks callbacks{};
  callbacks.log_message = LogCivetweb;
  const char* options[] = {
      "listening_ports", address.c_str(),     "num_threads", "4",    "request_timeout_ms",
      "10000",           "enable_keep_alive", "no",          nullptr};
  server->context_ = mg_start(&callbacks, server.get(), options);
  mg_server_ports port{};
  if (server->context_ == nullptr || mg_get_server_ports(server->context_, 1, &port) < 1) {
    return absl::UnavailableError(absl::StrCat("cannot listen on ", address, " (HTTP)"));
  }
  mg_set_request_handler(server->context_, "**", Answer, server.get());
  server->address_ = absl::StrCat(address.substr(0, address.find_last_of(':') + 1), port.port);
  return server;
}

HttpServer::~HttpServer() {
  if (context_ != nullptr) mg_stop(context_);
  mg_exit_library();
}

}  // namespace dragoman
