#include "server/compat/translate_path.h"

#include "server/api/request_fields.h"
#include "server/compat/dialect_parts.h"
#include "server/compat/plugin_dialects.h"

namespace dragoman::server {

using nlohmann::json;

TranslatePathAdapter::TranslatePathAdapter(const AdapterContext& context)
    : libretranslate_(context),
      curator_(CuratorDialect()),
      deeplx_(DeeplxDialect()),
      mtranserver_(MTranServerDialect()) {}

std::vector<AdapterRoute> TranslatePathAdapter::Routes() {
  return JsonDialectAdapter::Routes("POST", "/translate");
}

const JsonDialect* TranslatePathAdapter::DialectOf(const json& fields) const {
  if (HasField(fields, "q")) return nullptr;
  if (HasField(fields, "texts")) return &curator_;
  if (!HasField(fields, "text")) return nullptr;
  return HasField(fields, "target_lang") ? &deeplx_ : &mtranserver_;
}

Api TranslatePathAdapter::ApiOf(const HttpRequest& request) const {
  const JsonDialect* const dialect = DialectOf(ShapeOfRequest(request));
  return dialect == nullptr ? api() : dialect->api;
}

std::string TranslatePathAdapter::Key(const HttpRequest& request) const {
  return libretranslate_.Key(request);
}

absl::StatusOr<AdapterAction> TranslatePathAdapter::Handle(const HttpRequest& request,
                                                           const Client* client) const {
  if (request.method == "OPTIONS") return CorsPreflight();
  const absl::StatusOr<json> fields = ReadRequestFields(request);
  if (!fields.ok()) return fields.status();
  const JsonDialect* const dialect = DialectOf(*fields);
  if (dialect != nullptr) return DialectAction(*dialect, *fields);
  return libretranslate_.Translate(*fields, client);
}

HttpResponse TranslatePathAdapter::Error(const HttpRequest& request,
                                         const absl::Status& status) const {
  const JsonDialect* const dialect = DialectOf(ShapeOfRequest(request));
  return dialect == nullptr ? libretranslate_.Error(request, status)
                            : DialectError(*dialect, status);
}

}  // namespace dragoman::server
