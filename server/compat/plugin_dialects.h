// The dialects of browser extensions that use a server of the user's own: Immersive Translate
// (/imme), KISS Translator (/kiss), DeepLX (/deeplx and /translate), and Google's page
// (/google/translate_a/single). Also the dialects of MTranServer, and of NeMo Curator and Nemotron.
#pragma once

#include "server/compat/json_dialect.h"

namespace dragoman::server {

// {"source_lang", "target_lang", "text_list": [...]} ->
// {"translations": [{"detected_source_lang", "text"}]}.
JsonDialect ImmersiveDialect();
// {"from", "to", "text"} -> {"text", "src", "from", "to"}; with "texts": [...] ->
// {"translations": [{"text", "src"}]}.
JsonDialect KissDialect();
// {"text", "source_lang", "target_lang"} -> {"code": 200, "data": "...", ...}.
JsonDialect DeeplxDialect();
// GET ?sl=..&tl=..&q=.. -> [[["translation", "text", null, null, 1]], null, "de"], as Google's page
// asks and MTranServer answers; with dj=1 {"sentences": [{"trans", "orig"}], "src": "de"}. `dt` may
// request several parts, but the answer always has only the translation.
JsonDialect GooglePageDialect();

// NeMo Curator and Nemotron: {"texts": [...], "src_lang", "tgt_lang"} -> {"translations": [...]}.
JsonDialect CuratorDialect();

// MTranServer, a server of Firefox's models.
// {"from", "to", "text", "html"?} -> {"result"}; "from" may be missing.
JsonDialect MTranServerDialect();
// {"from", "to", "texts": [...], "html"?} -> {"results": [...]}.
JsonDialect MTranServerBatchDialect();

// GET /version, and the probes /__heartbeat__ and /__lbheartbeat__.
class MTranServerProbesAdapter final : public Adapter {
 public:
  explicit MTranServerProbesAdapter(const AdapterContext& context) : context_(context) {}
  static std::vector<AdapterRoute> Routes();

  Api api() const override { return Api::kMTranServer; }
  std::string Key(const HttpRequest& request) const override;
  absl::StatusOr<AdapterAction> Handle(const HttpRequest& request,
                                       const Client* client) const override;
  HttpResponse Error(const HttpRequest& request, const absl::Status& status) const override;

 private:
  const AdapterContext context_;
};

}  // namespace dragoman::server
