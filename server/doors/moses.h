// Moses's XML-RPC, which MTUOC's server plays for CAT tools: it is refused by name, with a fault that
// says how MTUOC's own requests are sent. This server reads no XML-RPC.
#pragma once

#include "server/doors/door.h"

namespace dragoman {

class MosesDoor final : public Door {
 public:
  static std::vector<DoorRoute> Routes();

  Api api() const override { return Api::kMtuoc; }
  std::string Key(const HttpRequest& request) const override;
  absl::StatusOr<DoorAction> Handle(const HttpRequest& request,
                                    const Client* client) const override;
  // A fault, whose HTTP status is 200 where it is about the request, as XML-RPC has it: clients read
  // no fault with another one.
  HttpResponse Error(const HttpRequest& request, const absl::Status& status) const override;
};

}  // namespace dragoman
