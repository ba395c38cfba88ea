// DeepL's dialect, version 2. Errors are {"message": "..."}.
//
// Usage is the number of code points translated since the start for the key's client, or for all
// clients if no key is needed. auth_key, which older clients send, is accepted in a body but not in
// a query.
//
// Glossaries are those that the server has loaded; only its operator can create or delete them.
// UNIMPLEMENTED is answered with 400, because the official clients would retry 501. The only path
// of version 3 is /v3/languages.
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
  absl::StatusOr<HttpResponse> UploadDocument(const HttpRequest& request,
                                              const Client* client) const;
  absl::StatusOr<AdapterAction> Translate(const HttpRequest& request, const Client* client) const;

  const AdapterContext context_;
};

}  // namespace dragoman::server
