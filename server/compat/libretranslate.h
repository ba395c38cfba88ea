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

#include "server/api/door.h"

namespace dragoman {

class LibreTranslateDoor final : public Door {
 public:
  explicit LibreTranslateDoor(const DoorContext& context) : context_(context) {}

  // /translate has a door of its own: see translate_path.h.
  static std::vector<DoorRoute> Routes();

  Api api() const override { return Api::kLibreTranslate; }
  std::string Key(const HttpRequest& request) const override;
  bool KeyMayBeInBody(const HttpRequest& /*head*/) const override { return true; }
  absl::StatusOr<DoorAction> Handle(const HttpRequest& request,
                                    const Client* client) const override;
  HttpResponse Error(const HttpRequest& request, const absl::Status& status) const override;

  // POST /translate, by its fields.
  absl::StatusOr<DoorAction> Translate(const nlohmann::json& fields, const Client* client) const;

 private:
  // Whether both are the same language, and one that is served. The original gives texts back then.
  bool IsOneLanguage(const std::string& source, const std::string& target,
                     const Client* client) const;
  HttpResponse Languages(const HttpRequest& request, const Client* client) const;
  static HttpResponse MakeLanguages(const ServedLanguages& languages);
  HttpResponse FrontendSettings() const;
  absl::StatusOr<DoorAction> Detect(const HttpRequest& request) const;

  const DoorContext context_;
};

}  // namespace dragoman
