#include "server/doors/page.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "server/base/quoted.h"
#include "server/call/request_error.h"
#include "server/doors/door_errors.h"

namespace dragoman {
namespace {

class PageDoor final : public Door {
 public:
  Api api() const override { return Api::kDragoman; }

  std::string Key(const HttpRequest& /*request*/) const override { return ""; }

  absl::StatusOr<DoorAction> Handle(const HttpRequest& request,
                                    const Client* /*client*/) const override {
    for (const PageFile& file : PageFiles()) {
      if (file.path != request.path) continue;
      HttpResponse answer;
      answer.content_type = std::string(file.content_type);
      answer.headers = {{"Content-Security-Policy", std::string(kPagePolicy)},
                        {"X-Content-Type-Options", "nosniff"},
                        {"Referrer-Policy", "no-referrer"},
                        {"Cross-Origin-Opener-Policy", "same-origin"},
                        {"Cross-Origin-Resource-Policy", "same-origin"},
                        // A newer server has a newer page.
                        {"Cache-Control", "no-cache"}};
      answer.body = std::string(file.text);
      return answer;
    }
    return absl::NotFoundError(
        absl::StrCat("path: found ", Quoted(request.path), ", which is no file of the page"));
  }

  HttpResponse Error(const HttpRequest& /*request*/, const absl::Status& status) const override {
    return NeutralError(status);
  }
};

}  // namespace

std::unique_ptr<Door> MakePageDoor() { return std::make_unique<PageDoor>(); }

std::vector<DoorRoute> PageRoutes() {
  std::vector<DoorRoute> routes;
  for (const PageFile& file : PageFiles()) {
    routes.push_back(
        {.method = "GET", .path = file.path, .rpc = RpcMethod::kQuery, .is_open = true});
  }
  return routes;
}

}  // namespace dragoman
