// marian-server's dialect: WebSocket messages at /translate, with one sentence a line.
//
// Uses the default model. As an extension, the URL may have ?source=de&target=en or ?model=NAME. A
// failure closes the connection with the error as the reason (http_message.h).
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
