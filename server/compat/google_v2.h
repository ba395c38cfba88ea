// Google's older Cloud Translation v2 ("basic"): /language/translate/v2, with parameters in the
// query, a form or JSON.
//
// `format` is html unless it says text; source "" is detected, where the server detects languages;
// `model` nmt and base are the default model. `cid` is refused if it names anything. The API key
// comes as to v3, and `key` may stand in a form.
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
