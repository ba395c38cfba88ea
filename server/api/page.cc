#include "server/api/page.h"

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/api/adapter_errors.h"
#include "server/api/list_answers.h"
#include "server/base/quoted.h"

namespace dragoman::server {
namespace {

constexpr std::string_view kPortsFile = "/page/ports.json";

class PageAdapter final : public Adapter {
 public:
  explicit PageAdapter(int grpc_port) {
    const HttpResponse ports = JsonResponse(200, {{"grpc", grpc_port}});
    Add({kPortsFile, ports.content_type, kPagePolicy, ports.body});
    for (const PageFile& file : PageFiles()) Add(file);
  }

  Api api() const override { return Api::kDragoman; }

  std::string Key(const HttpRequest& /*request*/) const override { return ""; }

  absl::StatusOr<AdapterAction> Handle(const HttpRequest& request,
                                       const Client* /*client*/) const override {
    const auto at = answers_.find(request.path);
    if (at != answers_.end()) return UnlessKnown(request, at->second);
    return absl::NotFoundError(
        absl::StrCat("path: found ", Quoted(request.path), ", which is no file of the page"));
  }

  HttpResponse Error(const HttpRequest& /*request*/, const absl::Status& status) const override {
    return NeutralError(status);
  }

 private:
  void Add(const PageFile& file) {
    answers_.emplace(file.path,
                     WithTag({.content_type = std::string(file.content_type),
                              .headers = {{"Content-Security-Policy", std::string(file.policy)},
                                          {"X-Content-Type-Options", "nosniff"},
                                          {"Referrer-Policy", "no-referrer"},
                                          {"Cross-Origin-Opener-Policy", "same-origin"},
                                          {"Cross-Origin-Resource-Policy", "same-origin"},
                                          {"Cache-Control", "no-cache"}},
                              .body = std::string(file.text)}));
  }

  std::map<std::string, HttpResponse, std::less<>> answers_;
};

}  // namespace

std::unique_ptr<Adapter> MakePageAdapter(int grpc_port) {
  return std::make_unique<PageAdapter>(grpc_port);
}

std::vector<AdapterRoute> PageRoutes() {
  std::vector<AdapterRoute> routes;
  routes.push_back(
      {.method = "GET", .path = kPortsFile, .rpc = RpcMethod::kQuery, .is_open = true});
  for (const PageFile& file : PageFiles()) {
    routes.push_back(
        {.method = "GET", .path = file.path, .rpc = RpcMethod::kQuery, .is_open = true});
  }
  return routes;
}

}  // namespace dragoman::server
