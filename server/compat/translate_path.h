// POST /translate, which four dialects share. The fields of a request select its dialect:
//
//   q                     LibreTranslate
//   texts                 NeMo Curator, Nemotron
//   text and target_lang  DeepLX
//   text                  MTranServer
//
// The first line that fits applies. A request with none of these fields is LibreTranslate's.
#pragma once

#include "server/compat/json_dialect.h"
#include "server/compat/libretranslate.h"

namespace dragoman::server {

class TranslatePathAdapter final : public Adapter {
 public:
  explicit TranslatePathAdapter(const AdapterContext& context);

  static std::vector<AdapterRoute> Routes();

  Api api() const override { return Api::kLibreTranslate; }
  Api ApiOf(const HttpRequest& request) const override;
  std::string Key(const HttpRequest& request) const override;
  bool KeyMayBeInBody(const HttpRequest& /*head*/) const override { return true; }
  absl::StatusOr<AdapterAction> Handle(const HttpRequest& request,
                                       const Client* client) const override;
  HttpResponse Error(const HttpRequest& request, const absl::Status& status) const override;

 private:
  // Returns the dialect that the fields select; nullptr means LibreTranslate's.
  const JsonDialect* DialectOf(const nlohmann::json& fields) const;

  const LibreTranslateAdapter libretranslate_;
  const JsonDialect curator_;
  const JsonDialect deeplx_;
  const JsonDialect mtranserver_;
};

}  // namespace dragoman::server
