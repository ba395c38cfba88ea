#include "server/transport/http.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace dragoman::server {
namespace {

constexpr std::chrono::seconds kLongestConnection{10};
// The time limit for a request to arrive. The client has the same time to read the answer.
constexpr std::chrono::seconds kLongestPart{5};
// Limits on a request's headers and body in bytes. A short body is accepted, but not used.
constexpr size_t kHeaderBytes = 16 * 1024;
constexpr size_t kBodyBytes = 1024;
// The limit of HeldBytes. An answer to /metrics for thousands of models has megabytes, and several
// clients may wait.
constexpr int64_t kHeldBytes = int64_t{256} << 20;

bool IsProbe(std::string_view path) { return path == "/livez" || path == "/readyz"; }

HttpResponse Uncached(HttpResponse answer) {
  answer.headers.emplace_back("Cache-Control", "no-store");
  return answer;
}

}  // namespace

HttpServer::HttpServer(HttpHooks hooks, HttpTls tls)
    : hooks_(std::move(hooks)),
      tls_(tls),
      scraper_([this] { return RouteHttp("GET", "/metrics", hooks_); }, kMaxWaitingScrapes) {}

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const Address& address,
                                                              HttpHooks hooks, int max_connections,
                                                              HttpTls tls,
                                                              std::vector<int> inherited,
                                                              AllowedHosts hosts) {
  std::unique_ptr<HttpServer> server(new HttpServer(std::move(hooks), tls));
  ExchangeServerOptions options;
  options.listener.address = address;
  options.listener.inherited = std::move(inherited);
  options.listener.max_connections = max_connections;
  options.listener.drop_oldest = true;
  options.listener.longest = kLongestConnection;
  options.hosts = std::move(hosts);
  options.read = {.header_bytes = kHeaderBytes, .headers = 100, .body_bytes = kBodyBytes};
  options.held_bytes = kHeldBytes;
  options.header_time = options.request_time = options.write_time = kLongestPart;
  options.close_after_answer = true;
  options.tls = tls.store;
  if (tls.mutual) options.clients = ClientCertificates::kAsked;
  auto started = ExchangeServer::Start(options, server.get(), &server->clock_);
  if (!started.ok()) {
    return absl::UnavailableError(absl::StrCat(std::string(started.status().message()), " (HTTP)"));
  }
  server->server_ = *std::move(started);
  return server;
}

HttpServer::~HttpServer() {
  // The scraper stops first, because the server waits for its answers.
  scraper_.Stop();
}

bool HttpServer::AcceptsWebSocket(const HttpRequest& /*upgrade*/) const { return false; }

void HttpServer::Handle(std::shared_ptr<HttpExchange> exchange) {
  const HttpRequest& request = exchange->request();
  if (tls_.mutual && !IsProbe(request.path) && !request.client_certificate) {
    exchange->Respond(Uncached(
        {.status = 403, .body = "found no certificate of a known client, expected one\n"}));
  } else if (!IsScrape(request.method, request.path)) {
    exchange->Respond(Uncached(RouteHttp(request.method, request.path, hooks_)));
  } else if (!scraper_.Ask([exchange](const Scraper::Answer& answer) {
               exchange->Respond(Uncached(*answer));
             })) {
    exchange->Respond(Uncached(
        {.status = 503, .body = "too many scrapes wait already, or the daemon ends: try again\n"}));
  }
}

}  // namespace dragoman::server
