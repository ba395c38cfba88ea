// LibreTranslate's dialect, which Mastodon, Weblate, libretranslatepy and others use. Parameters
// are in JSON, a form or the query. Errors are {"error": "..."}.
//
// As in LibreTranslate, a text whose source is its target is returned unchanged, and /languages has
// every language, with itself among its targets. Two differences are intended: the language of each
// text of a list is detected separately, and `alternatives` also work with HTML.
#pragma once

#include <nlohmann/json.hpp>

#include "server/api/adapter.h"

namespace dragoman::server {

class LibreTranslateAdapter final : public Adapter {
 public:
  explicit LibreTranslateAdapter(const AdapterContext& context) : context_(context) {}

  // Returns the routes except /translate, which has its own adapter (translate_path.h).
  static std::vector<AdapterRoute> Routes();

  Api api() const override { return Api::kLibreTranslate; }
  std::string Key(const HttpRequest& request) const override;
  bool KeyMayBeInBody(const HttpRequest& /*head*/) const override { return true; }
  absl::StatusOr<AdapterAction> Handle(const HttpRequest& request,
                                       const Client* client) const override;
  HttpResponse Error(const HttpRequest& request, const absl::Status& status) const override;

  // Handles POST /translate.
  absl::StatusOr<AdapterAction> Translate(const nlohmann::json& fields, const Client* client) const;

 private:
  // Reports whether both are the same served language. If so, the texts are returned unchanged.
  bool IsOneLanguage(const std::string& source, const std::string& target,
                     const Client* client) const;
  HttpResponse Languages(const HttpRequest& request, const Client* client) const;
  static HttpResponse MakeLanguages(const ServedLanguages& languages);
  HttpResponse FrontendSettings() const;
  absl::StatusOr<AdapterAction> Detect(const HttpRequest& request) const;
  // POST /translate_file, which is answered when the file is translated, and GET /download_file/NAME.
  absl::StatusOr<AdapterAction> TranslateFile(const HttpRequest& request,
                                              const Client* client) const;
  absl::StatusOr<AdapterAction> DownloadFile(const HttpRequest& request,
                                             const Client* client) const;

  const AdapterContext context_;
};

// Returns the description of the dialect for GET /spec: Swagger 2.0, as in LibreTranslate. Pure.
nlohmann::json LibreTranslateSpec();

}  // namespace dragoman::server
