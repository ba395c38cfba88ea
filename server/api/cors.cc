#include "server/api/cors.h"

#include <algorithm>
#include <utility>

#include "server/transport/request_rules.h"

namespace dragoman::server {
namespace {

constexpr char kAllowOrigin[] = "Access-Control-Allow-Origin";

// Adds headers to the answers of another exchange.
class CorsExchange final : public HttpExchange {
 public:
  CorsExchange(const Cors* cors, std::shared_ptr<HttpExchange> inner)
      : cors_(cors), inner_(std::move(inner)) {}

  const HttpRequest& request() const override { return inner_->request(); }
  void OnGone(std::function<void()> gone) override { inner_->OnGone(std::move(gone)); }
  bool Reserve(int64_t bytes) override { return inner_->Reserve(bytes); }
  void SetClient(RequestClient client) override { inner_->SetClient(std::move(client)); }
  void Respond(HttpResponse response, std::function<void()> sent) override {
    cors_->Allow(request(), &response);
    inner_->Respond(std::move(response), std::move(sent));
  }
  void Begin(HttpResponse head) override {
    cors_->Allow(request(), &head);
    inner_->Begin(std::move(head));
  }
  void Write(std::string piece, std::function<void(bool ok)> done) override {
    inner_->Write(std::move(piece), std::move(done));
  }
  void End(bool cut_off) override { inner_->End(cut_off); }
  void Break() override { inner_->Break(); }

 private:
  const Cors* const cors_;
  const std::shared_ptr<HttpExchange> inner_;  // shared with the server
};

}  // namespace

bool Cors::Allows(const HttpRequest& request) const {
  return AllowsOrigin(origins_, request.Header("origin"));
}

std::optional<HttpResponse> Cors::Preflight(const HttpRequest& request) const {
  if (request.method != "OPTIONS" || request.Header("access-control-request-method").empty() ||
      !Allows(request)) {
    return std::nullopt;
  }
  HttpResponse answer{.status = 204};
  Allow(request, &answer);
  answer.headers.emplace_back("Access-Control-Allow-Methods", "GET, HEAD, POST");
  // Allows all headers, because dialects have their keys in different headers and clients may add
  // headers.
  const std::string asked(request.Header("access-control-request-headers"));
  if (!asked.empty()) answer.headers.emplace_back("Access-Control-Allow-Headers", asked);
  answer.headers.emplace_back("Access-Control-Max-Age", "7200");
  return answer;
}

void Cors::Allow(const HttpRequest& request, HttpResponse* answer) const {
  const bool is_there =
      std::any_of(answer->headers.begin(), answer->headers.end(),
                  [](const auto& header) { return header.first == kAllowOrigin; });
  if (is_there || !Allows(request)) return;
  answer->headers.emplace_back(kAllowOrigin, std::string(request.Header("origin")));
  answer->headers.emplace_back("Vary", "Origin");
  answer->headers.emplace_back("Access-Control-Expose-Headers", "ETag, Retry-After, X-Request-Id");
}

std::shared_ptr<HttpExchange> Cors::Wrap(std::shared_ptr<HttpExchange> exchange) const {
  if (!Allows(exchange->request())) return exchange;
  return std::make_shared<CorsExchange>(this, std::move(exchange));
}

}  // namespace dragoman::server
