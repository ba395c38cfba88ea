// The dialect of MTranServer, a server of Firefox's models.
#pragma once

#include "server/compat/json_dialect.h"

namespace dragoman {

// {"from", "to", "text", "html"?} -> {"result"}; "from" may be missing.
JsonDialect MTranServerDialect();
// {"from", "to", "texts": [...], "html"?} -> {"results": [...]}.
JsonDialect MTranServerBatchDialect();

// GET /version, and the probes /__heartbeat__ and /__lbheartbeat__.
class MTranServerProbesDoor final : public Door {
 public:
  explicit MTranServerProbesDoor(const DoorContext& context) : context_(context) {}
  static std::vector<DoorRoute> Routes();

  Api api() const override { return Api::kMTranServer; }
  std::string Key(const HttpRequest& request) const override;
  absl::StatusOr<DoorAction> Handle(const HttpRequest& request,
                                    const Client* client) const override;
  HttpResponse Error(const HttpRequest& request, const absl::Status& status) const override;

 private:
  const DoorContext context_;
};

}  // namespace dragoman
