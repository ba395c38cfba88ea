// DeepL's dialect, version 2: /v2/translate, /v2/languages, /v2/usage and /v2/glossaries. Errors are
// {"message": "..."}.
//
// Usage is what was translated since the start: for the client of the key, or for all where no key is
// needed. A key in auth_key, as older clients send it, is taken from a body and not from a query.
//
// Glossaries are those that this server has loaded; making and deleting them is for its operator.
// Documents, and everything of /v3, are refused by name. Refusals are 400 and not 501, which the
// official clients take for something to try again.
#pragma once

#include "server/api/adapter.h"

namespace dragoman::server {

class DeeplAdapter final : public Adapter {
 public:
  explicit DeeplAdapter(const AdapterContext& context) : context_(context) {}
  static std::vector<AdapterRoute> Routes();

  Api api() const override { return Api::kDeepl; }
  std::string Key(const HttpRequest& request) const override;
  bool KeyMayBeInBody(const HttpRequest& /*head*/) const override { return true; }
  absl::StatusOr<AdapterAction> Handle(const HttpRequest& request,
                                       const Client* client) const override;
  HttpResponse Error(const HttpRequest& request, const absl::Status& status) const override;

 private:
  absl::StatusOr<AdapterAction> Translate(const HttpRequest& request, const Client* client) const;

  const AdapterContext context_;
};

}  // namespace dragoman::server
