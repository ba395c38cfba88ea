// The dialect of MTranServer, a server of Firefox's models.
#pragma once

#include "server/compat/json_dialect.h"

namespace dragoman::server {

// Requests are {"from", "to", "text", "html"?}, answers {"result"}. "from" may be missing.
JsonDialect MTranServerDialect();
// Requests are {"from", "to", "texts": [...], "html"?}, answers {"results": [...]}.
JsonDialect MTranServerBatchDialect();

// Answers GET /version, and the probes /__heartbeat__ and /__lbheartbeat__.
class MTranServerProbesAdapter final : public Adapter {
 public:
  explicit MTranServerProbesAdapter(const AdapterContext& context) : context_(context) {}
  static std::vector<AdapterRoute> Routes();

  Api api() const override { return Api::kMTranServer; }
  std::string Key(const HttpRequest& request) const override;
  absl::StatusOr<AdapterAction> Handle(const HttpRequest& request,
                                       const Client* client) const override;
  HttpResponse Error(const HttpRequest& request, const absl::Status& status) const override;

 private:
  const AdapterContext context_;
};

}  // namespace dragoman::server
