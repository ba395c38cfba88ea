// The dialect of OpenNMT-py's server, under /translator. Models have numbers there: 100 is the first
// of this server's, 101 the next, and 0 or none the default; their names are taken as well.
#pragma once

#include <nlohmann/json.hpp>

#include "server/doors/door.h"

namespace dragoman {

class OpenNmtDoor final : public Door {
 public:
  explicit OpenNmtDoor(const DoorContext& context) : context_(context) {}
  static std::vector<DoorRoute> Routes();

  Api api() const override { return Api::kOpenNmt; }
  std::string Key(const HttpRequest& request) const override;
  absl::StatusOr<DoorAction> Handle(const HttpRequest& request,
                                    const Client* client) const override;
  HttpResponse Error(const HttpRequest& request, const absl::Status& status) const override;

 private:
  absl::StatusOr<DoorAction> Translate(const HttpRequest& request, const Client* client) const;
  absl::StatusOr<std::string> ModelOf(const nlohmann::json& input,
                                      const std::vector<ModelPtr>& models) const;
  HttpResponse Models(const Client* client) const;

  const DoorContext context_;
};

}  // namespace dragoman
