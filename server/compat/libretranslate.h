// LibreTranslate's dialect, which Mastodon, Weblate, libretranslatepy and others speak: parameters
// as JSON, in a form or in the query; errors as {"error": "..."}.
//
// As there, a text whose source is its target comes back as it is, and /languages has every language,
// with itself among its targets.
//
// What differs from LibreTranslate's own server, on purpose: each text of a list has its language
// detected by itself, and `alternatives` work with HTML as well.
#pragma once

#include <nlohmann/json.hpp>

#include "server/api/adapter.h"

namespace dragoman::server {

class LibreTranslateAdapter final : public Adapter {
 public:
  explicit LibreTranslateAdapter(const AdapterContext& context) : context_(context) {}

  // /translate has an adapter of its own: see translate_path.h.
  static std::vector<AdapterRoute> Routes();

  Api api() const override { return Api::kLibreTranslate; }
  std::string Key(const HttpRequest& request) const override;
  bool KeyMayBeInBody(const HttpRequest& /*head*/) const override { return true; }
  absl::StatusOr<AdapterAction> Handle(const HttpRequest& request,
                                       const Client* client) const override;
  HttpResponse Error(const HttpRequest& request, const absl::Status& status) const override;

  // POST /translate, by its fields.
  absl::StatusOr<AdapterAction> Translate(const nlohmann::json& fields, const Client* client) const;

 private:
  // Whether both are the same language, and one that is served. The original gives texts back then.
  bool IsOneLanguage(const std::string& source, const std::string& target,
                     const Client* client) const;
  HttpResponse Languages(const HttpRequest& request, const Client* client) const;
  static HttpResponse MakeLanguages(const ServedLanguages& languages);
  HttpResponse FrontendSettings() const;
  absl::StatusOr<AdapterAction> Detect(const HttpRequest& request) const;

  const AdapterContext context_;
};

// The description of LibreTranslate's dialect that GET /spec answers with: Swagger 2.0, as
// LibreTranslate's own server has it. Pure.
nlohmann::json LibreTranslateSpec();

}  // namespace dragoman::server
