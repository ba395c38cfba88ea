#include "server/http/http.h"

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
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
// Like gRPC's side.
constexpr char kTlsVersions[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";

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

bool IsProbe(std::string_view path) { return path == "/livez" || path == "/readyz"; }

// Whether the connection's client has shown a certificate of the authorities, made for clients.
bool IsKnownClient(MHD_Connection* connection) {
  const MHD_ConnectionInfo* info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  if (info == nullptr || info->tls_session == nullptr) return false;
  gnutls_typed_vdata_st purpose{};
  purpose.type = GNUTLS_DT_KEY_PURPOSE_OID;
  purpose.data = reinterpret_cast<unsigned char*>(const_cast<char*>(GNUTLS_KP_TLS_WWW_CLIENT));
  unsigned wrong = 0;
  const int error = gnutls_certificate_verify_peers(
      static_cast<gnutls_session_t>(info->tls_session), &purpose, 1, &wrong);
  return error == GNUTLS_E_SUCCESS && wrong == 0;
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
  if (server->mutual() && !IsProbe(path) && !IsKnownClient(connection)) {
    HttpResponse refusal;
    refusal.status = 403;
    refusal.body = "found no certificate of a known client, expected one\n";
    return Send(connection, refusal);
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
                                                              HttpHooks hooks, int max_connections,
                                                              HttpTls tls) {
  std::unique_ptr<HttpServer> server(new HttpServer(std::move(hooks), tls));
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
  Library& library = server->library_;
  if (tls.store != nullptr) library.material = tls.store->current();
  library.daemon = server->StartLibrary(library.material.get());
  if (library.daemon == nullptr) return absl::UnavailableError("the HTTP server does not start");
  server->listener_->Start([raw = server.get()](int fd) { raw->Take(fd); });
  return server;
}

HttpServer::~HttpServer() {
  listener_.reset();
  for (const Library& library : retired_) MHD_stop_daemon(library.daemon);
  if (library_.daemon != nullptr) MHD_stop_daemon(library_.daemon);
}

MHD_Daemon* HttpServer::StartLibrary(const TlsMaterial* material) {
  unsigned flags =
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ITC | MHD_USE_ERROR_LOG;
  std::vector<MHD_OptionItem> options;
  const auto text = [&options](MHD_OPTION option, const std::string& value) {
    options.push_back({option, 0, const_cast<char*>(value.c_str())});
  };
  if (material != nullptr) {
    flags |= MHD_USE_TLS;
    text(MHD_OPTION_HTTPS_MEM_CERT, material->certificate);
    text(MHD_OPTION_HTTPS_MEM_KEY, material->key);
    if (tls_.mutual) text(MHD_OPTION_HTTPS_MEM_TRUST, material->client_ca);
    options.push_back({MHD_OPTION_HTTPS_PRIORITIES, 0, const_cast<char*>(kTlsVersions)});
  }
  options.push_back({MHD_OPTION_END, 0, nullptr});
  // What the listener has dropped takes a moment to be closed here, hence twice as many.
  return MHD_start_daemon(
      flags, 0, nullptr, nullptr, Answer, this, MHD_OPTION_EXTERNAL_LOGGER, LogLibrary, nullptr,
      MHD_OPTION_CONNECTION_LIMIT, 2U * static_cast<unsigned>(listener_->max_connections()),
      MHD_OPTION_CONNECTION_TIMEOUT, kIdleSeconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      kConnectionMemory, MHD_OPTION_ARRAY, options.data(), MHD_OPTION_END);
}

void HttpServer::Renew() {
  if (tls_.store == nullptr) return;
  std::shared_ptr<const TlsMaterial> current = tls_.store->current();
  if (current == library_.material || current == refused_) return;
  const auto now = std::chrono::steady_clock::now();
  for (auto at = retired_.begin(); at != retired_.end();) {
    if (now - at->retired < kLongestConnection) {
      ++at;
    } else {
      MHD_stop_daemon(at->daemon);
      at = retired_.erase(at);
    }
  }
  MHD_Daemon* const daemon = StartLibrary(current.get());
  if (daemon == nullptr) {
    Log(LogLevel::kError, "HTTP does not take the new certificate, the old one stays in use",
        {{"serial", current->serial}});
    refused_ = std::move(current);
    return;
  }
  library_.retired = now;
  retired_.push_back(std::exchange(library_, Library{daemon, std::move(current), {}}));
}

void HttpServer::Take(int fd) {
  Renew();
  sockaddr_storage peer{};
  socklen_t size = sizeof(peer);
  getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size);
  // Closes it where it fails.
  MHD_add_connection(library_.daemon, fd, reinterpret_cast<const sockaddr*>(&peer), size);
}

}  // namespace dragoman
