// Google's Cloud Translation v2 ("basic"), /language/translate/v2: parameters in query, form, JSON.
//
// `format` is html unless it is text. An empty `source` is detected, if the server detects
// languages. The models nmt and base are the default model. `cid` is refused unless empty. The API
// key is in the same places as for v3, or in the form's `key`.
#pragma once

#include <string>
#include <vector>

#include "server/api/adapter.h"

namespace dragoman::server {

class GoogleV2Adapter final : public Adapter {
 public:
  explicit GoogleV2Adapter(const AdapterContext& context) : context_(context) {}
  static std::vector<AdapterRoute> Routes();

  Api api() const override { return Api::kGoogleV2; }
  std::string Key(const HttpRequest& request) const override;
  bool KeyMayBeInBody(const HttpRequest& head) const override;
  absl::StatusOr<AdapterAction> Handle(const HttpRequest& request,
                                       const Client* client) const override;
  HttpResponse Error(const HttpRequest& request, const absl::Status& status) const override;

 private:
  const AdapterContext context_;
};

}  // namespace dragoman::server
