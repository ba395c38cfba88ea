// The path /translate, which several servers' dialects share. The fields of a request tell them
// apart, in this order:
//
//   POST  q                          LibreTranslate
//         text, to                   MTranServer, LinguaSpark
//         text, target_lang          DeepLX
//         texts, to                  their batches
//         texts, src_lang, tgt_lang  NeMo Curator, Nemotron
//         source, src_lang, tgt_lang nllb-serve
//         src: a list                NMT-Wizard
//         src: a text                MTUOC
//   GET   source, src_lang, tgt_lang nllb-serve
//         q                          ModernMT
//         text                       OmegaT
//
// A request that is none of these is LibreTranslate's, which then says that it misses q.
#pragma once

#include <vector>

#include "server/doors/json_dialect.h"
#include "server/doors/libretranslate.h"

namespace dragoman {

class TranslatePathDoor final : public Door {
 public:
  explicit TranslatePathDoor(const DoorContext& context);

  static std::vector<DoorRoute> Routes();

  Api api() const override { return Api::kLibreTranslate; }
  Api ApiOf(const HttpRequest& request) const override;
  std::string Key(const HttpRequest& request) const override;
  bool KeyMayBeInBody(const HttpRequest& /*head*/) const override { return true; }
  absl::StatusOr<DoorAction> Handle(const HttpRequest& request,
                                    const Client* client) const override;
  HttpResponse Error(const HttpRequest& request, const absl::Status& status) const override;

 private:
  // nullptr: LibreTranslate's.
  const JsonDialect* Find(const HttpRequest& request, const nlohmann::json& fields) const;
  const JsonDialect* Find(const HttpRequest& request) const;

  const DoorContext context_;
  const LibreTranslateDoor libretranslate_;
  const std::vector<JsonDialect> posted_;
  const std::vector<JsonDialect> queried_;
};

}  // namespace dragoman
