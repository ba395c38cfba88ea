// Google's Cloud Translation v3 over REST, as its clients speak it: proto3 JSON at
// /v3/projects/P/locations/L:translateText and the like (google_v3.h has the meaning of fields).
//
// The API key comes as Google's do: the header X-Goog-Api-Key, Authorization: Bearer, or the query's
// `key`. Of the query's system parameters $alt, alt, prettyPrint, quotaUser and the like are
// accepted; `fields` is refused.
#pragma once

#include <string>
#include <vector>

#include "server/api/adapter.h"

namespace dragoman::server {

class GoogleRestAdapter final : public Adapter {
 public:
  explicit GoogleRestAdapter(const AdapterContext& context) : context_(context) {}
  static std::vector<AdapterRoute> Routes();

  Api api() const override { return Api::kGoogleV3; }
  std::string Key(const HttpRequest& request) const override;
  absl::StatusOr<AdapterAction> Handle(const HttpRequest& request,
                                       const Client* client) const override;
  HttpResponse Error(const HttpRequest& request, const absl::Status& status) const override;

 private:
  const AdapterContext context_;
};

// The API key of a request to either of Google's REST interfaces; "" = none.
std::string KeyOfGoogle(const HttpRequest& request);

// Whether Google's servers take a parameter of this name in any query, for what it says of the
// answer's form or the caller.
bool IsGoogleSystemParameter(std::string_view name);

}  // namespace dragoman::server
