#include "server/http/http.h"

#include <microhttpd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/base/log.h"
#include "server/http/status_page.h"

namespace dragoman {
namespace {

constexpr std::chrono::seconds kLongestConnection{10};
// Of a connection that says nothing, and of one that reads nothing.
constexpr unsigned kIdleSeconds = 5;
// Of the request's headers; a connection holds two of these at most.
constexpr size_t kConnectionMemory = 16 * 1024;

HttpResponse Health(const std::string& wrong, const char* well) {
  HttpResponse response;
  response.status = wrong.empty() ? 200 : 503;
  response.body = (wrong.empty() ? std::string(well) : wrong) + "\n";
  return response;
}

MHD_Result Send(MHD_Connection* connection, const HttpResponse& answer) {
  MHD_Response* response = MHD_create_response_from_buffer(
      answer.body.size(), const_cast<char*>(answer.body.data()), MHD_RESPMEM_MUST_COPY);
  if (response == nullptr) return MHD_NO;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer.content_type.c_str());
  MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  if (!answer.policy.empty()) {
    MHD_add_response_header(response, "Content-Security-Policy", answer.policy.c_str());
  }
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
  if (answer.status == 405) MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
  // Leaves out the body for HEAD.
  const MHD_Result result =
      MHD_queue_response(connection, static_cast<unsigned>(answer.status), response);
  MHD_destroy_response(response);
  return result;
}

MHD_Result Answer(void* data, MHD_Connection* connection, const char* path, const char* method,
                  const char* /*version*/, const char* /*upload*/, size_t* upload_size,
                  void** state) {
  const auto* server = static_cast<const HttpServer*>(data);
  const std::string_view verb(method);
  // Called first with the headers alone, when only a refusal may be sent.
  if ((verb == "GET" || verb == "HEAD") && (*state == nullptr || *upload_size > 0)) {
    static char called;
    *state = &called;
    *upload_size = 0;
    return MHD_YES;
  }
  return Send(connection, RouteHttp(verb, path, server->hooks()));
}

void LogLibrary(void* /*data*/, const char* format, va_list arguments) {
  char line[512];
  std::vsnprintf(line, sizeof(line), format, arguments);
  std::string_view text(line);
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  // Clients' mistakes among it.
  Log(LogLevel::kDebug, "http", {{"detail", std::string(text)}});
}

}  // namespace

HttpResponse RouteHttp(std::string_view method, std::string_view path, const HttpHooks& hooks) {
  HttpResponse response;
  if (method != "GET" && method != "HEAD") {
    response.status = 405;
    response.body = "found another method, expected GET or HEAD\n";
    return response;
  }
  if (path == "/metrics") {
    response.content_type = "text/plain; version=0.0.4; charset=utf-8";
    response.body = hooks.metrics();
  } else if (path == "/livez") {
    response = Health(hooks.not_live(), "ok");
  } else if (path == "/readyz") {
    response = Health(hooks.not_ready(), "ready");
  } else if (path == "/status") {
    response.content_type = "text/html; charset=utf-8";
    response.policy = kStatusPagePolicy;
    response.body = StatusPage();
  } else {
    response.status = 404;
    response.body = "no such path, expected /metrics, /livez, /readyz or /status\n";
  }
  return response;
}

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const std::string& address,
                                                              HttpHooks hooks,
                                                              int max_connections) {
  std::unique_ptr<HttpServer> server(new HttpServer(std::move(hooks)));
  ListenerOptions options;
  options.address = address;
  options.max_connections = max_connections;
  options.drop_oldest = true;
  options.longest = kLongestConnection;
  auto listener = Listener::Listen(options);
  if (!listener.ok()) {
    return absl::UnavailableError(
        absl::StrCat(std::string(listener.status().message()), " (HTTP)"));
  }
  server->listener_ = *std::move(listener);
  // What the listener has dropped takes a moment to be closed here, hence twice as many.
  server->daemon_ = MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ITC | MHD_USE_ERROR_LOG, 0,
      nullptr, nullptr, Answer, server.get(), MHD_OPTION_EXTERNAL_LOGGER, LogLibrary, nullptr,
      MHD_OPTION_CONNECTION_LIMIT, 2U * static_cast<unsigned>(options.max_connections),
      MHD_OPTION_CONNECTION_TIMEOUT, kIdleSeconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      kConnectionMemory, MHD_OPTION_END);
  if (server->daemon_ == nullptr) return absl::UnavailableError("the HTTP server does not start");
  server->listener_->Start([daemon = server->daemon_](int fd) {
    sockaddr_storage peer{};
    socklen_t size = sizeof(peer);
    getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size);
    // Closes it where it fails.
    MHD_add_connection(daemon, fd, reinterpret_cast<const sockaddr*>(&peer), size);
  });
  return server;
}

HttpServer::~HttpServer() {
  listener_.reset();
  if (daemon_ != nullptr) MHD_stop_daemon(daemon_);
}

}  // namespace dragoman
