// The dialects of MTranServer and LinguaSpark, the servers of Firefox's models. Their requests are
// alike, and one answer serves both.
#pragma once

#include "server/doors/json_dialect.h"

namespace dragoman {

// {"from", "to", "text", "html"?}: "from" may be missing.
JsonDialect FirefoxDialect();
// {"from", "to", "texts": [...], "html"?}.
JsonDialect FirefoxBatchDialect();

// GET /version, and the probes /__heartbeat__ and /__lbheartbeat__.
class FirefoxProbesDoor final : public Door {
 public:
  explicit FirefoxProbesDoor(const DoorContext& context) : context_(context) {}
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
