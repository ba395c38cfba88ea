#include "server/http/http.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/base/log.h"

namespace dragoman {
namespace {

constexpr std::chrono::seconds kLongestConnection{10};

}  // namespace

HttpServer::HttpServer(HttpHooks hooks, HttpTls tls)
    : hooks_(std::move(hooks)),
      tls_(tls),
      scraper_([this] { return RouteHttp("GET", "/metrics", hooks_); }, kMaxWaitingScrapes) {}

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const Address& address,
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
  Generation& first = server->present_;
  if (tls.store != nullptr) first.material = tls.store->current();
  first.library = server->StartLibrary(first.material.get());
  if (first.library == nullptr)
    return absl::UnavailableError(
        "the HTTP server does not start, expected memory and a thread for it");
  server->listener_->Start([raw = server.get()](int fd) { raw->Take(fd); });
  return server;
}

HttpServer::~HttpServer() {
  listener_.reset();
  // The scraper stops before the libraries, which must not end while one of their requests waits.
  scraper_.Stop();
}

std::unique_ptr<HttpLibrary> HttpServer::StartLibrary(const TlsMaterial* material) {
  HttpLibrary::Options options;
  options.hooks = &hooks_;
  options.scraper = &scraper_;
  options.material = material;
  options.mutual = tls_.mutual;
  options.max_connections = listener_->max_connections();
  return HttpLibrary::Start(options);
}

void HttpServer::Renew() {
  if (tls_.store == nullptr) return;
  std::shared_ptr<const TlsMaterial> current = tls_.store->current();
  if (current == present_.material || current == refused_) return;
  const auto now = std::chrono::steady_clock::now();
  for (auto at = retired_.begin(); at != retired_.end();) {
    const bool has_gone = now - at->retired >= kLongestConnection && at->library->Close();
    at = has_gone ? retired_.erase(at) : at + 1;
  }
  std::unique_ptr<HttpLibrary> library = StartLibrary(current.get());
  if (library == nullptr) {
    Log(LogLevel::kError, "HTTP does not take the new certificate, the old one stays in use",
        {{"serial", current->serial}});
    refused_ = std::move(current);
    return;
  }
  present_.retired = now;
  retired_.push_back(
      std::exchange(present_, Generation{std::move(library), std::move(current), {}}));
}

void HttpServer::Take(int fd) {
  Renew();
  present_.library->Take(fd);
}

}  // namespace dragoman
