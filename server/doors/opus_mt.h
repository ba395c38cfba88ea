// The dialect of Opus-MT's server: POST /api/translate {"from", "to", "source"} ->
// {"translation"}, GET /api/languages -> {"languages": {"de": ["en"]}}, GET /api/ready -> 204.
#pragma once

#include "server/doors/door.h"

namespace dragoman {

class OpusMtDoor final : public Door {
 public:
  explicit OpusMtDoor(const DoorContext& context) : context_(context) {}
  static std::vector<DoorRoute> Routes();

  Api api() const override { return Api::kOpusMt; }
  std::string Key(const HttpRequest& request) const override;
  absl::StatusOr<DoorAction> Handle(const HttpRequest& request,
                                    const Client* client) const override;
  HttpResponse Error(const HttpRequest& request, const absl::Status& status) const override;

 private:
  // A message of a WebSocket.
  absl::StatusOr<DoorAction> Record(const HttpRequest& message) const;
  HttpResponse Languages(const Client* client) const;

  const DoorContext context_;
};

}  // namespace dragoman
