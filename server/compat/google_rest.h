// Google's Cloud Translation over REST: v3, and v2 ("basic").
#pragma once

#include <string>
#include <vector>

#include "server/api/adapter.h"

namespace dragoman::server {

// v3: proto3 JSON at /v3/projects/P/locations/L:translateText and others. google_v3.h has the
// meaning of the fields.
//
// The API key is in the header X-Goog-Api-Key, in Authorization: Bearer, or in the query's `key`.
// System parameters of the query ($alt, prettyPrint and others) are accepted, except `fields`.
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

// Returns the API key of a request to either of Google's REST interfaces; "" if there is none.
std::string KeyOfGoogle(const HttpRequest& request);

// Reports whether Google accepts this parameter in every query.
bool IsGoogleSystemParameter(std::string_view name);

// v2, /language/translate/v2: parameters in query, form, JSON.
//
// `format` is html unless it is text. An empty `source` is detected, if the server detects
// languages. The models nmt and base are the default model. `cid` is refused unless empty. The API
// key is in the same places as for v3, or in the form's `key`.
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
