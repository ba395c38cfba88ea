// marian-server's dialect: each message over a WebSocket at /translate holds sentences, one a line,
// and the answer has their translations, one a line.
//
// The model is the default one. The URL of the connection may say otherwise, which marian-server
// does not have: ?source=de&target=en, or ?model=NAME. What fails closes the connection, with the
// error as the reason (http_message.h).
#pragma once

#include "server/api/adapter.h"

namespace dragoman::server {

class MarianAdapter final : public Adapter {
 public:
  static std::vector<AdapterRoute> Routes();

  Api api() const override { return Api::kMarian; }
  std::string Key(const HttpRequest& request) const override;
  absl::StatusOr<AdapterAction> Handle(const HttpRequest& request,
                                       const Client* client) const override;
  HttpResponse Error(const HttpRequest& request, const absl::Status& status) const override;
};

}  // namespace dragoman::server
