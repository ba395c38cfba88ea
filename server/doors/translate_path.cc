#include "server/doors/translate_path.h"

#include "server/doors/batch_dialects.h"
#include "server/doors/dialect_parts.h"
#include "server/doors/firefox_dialects.h"
#include "server/doors/plugin_dialects.h"
#include "server/doors/request_fields.h"

namespace dragoman {

using nlohmann::json;

TranslatePathDoor::TranslatePathDoor(const DoorContext& context)
    : context_(context),
      libretranslate_(context),
      posted_({FirefoxDialect(), DeeplxDialect(), FirefoxBatchDialect(), CuratorDialect(),
               NllbServeDialect(), NmtWizardDialect(), MtuocDialect()}),
      queried_({NllbServeDialect(), ModernMtDialect(), OmegaTDialect()}) {}

std::vector<DoorRoute> TranslatePathDoor::Routes() { return JsonDialectDoor::Routes("/translate"); }

const JsonDialect* TranslatePathDoor::Find(const HttpRequest& request, const json& fields) const {
  const bool is_posted = request.method == "POST";
  if (is_posted && HasField(fields, "q")) return nullptr;
  for (const JsonDialect& dialect : is_posted ? posted_ : queried_) {
    if (dialect.claims(fields)) return &dialect;
  }
  return nullptr;
}

const JsonDialect* TranslatePathDoor::Find(const HttpRequest& request) const {
  return Find(request, ShapeOfRequest(request));
}

Api TranslatePathDoor::ApiOf(const HttpRequest& request) const {
  const JsonDialect* const dialect = Find(request);
  return dialect == nullptr ? api() : dialect->api;
}

std::string TranslatePathDoor::Key(const HttpRequest& request) const {
  return libretranslate_.Key(request);
}

absl::StatusOr<DoorAction> TranslatePathDoor::Handle(const HttpRequest& request,
                                                     const Client* client) const {
  if (request.method == "OPTIONS") return CorsPreflight();
  const absl::StatusOr<json> fields = ReadRequestFields(request);
  if (!fields.ok()) return fields.status();
  const JsonDialect* const dialect = Find(request, *fields);
  if (dialect != nullptr) return DialectAction(*dialect, context_, client, *fields);
  return libretranslate_.Translate(*fields, client);
}

HttpResponse TranslatePathDoor::Error(const HttpRequest& request,
                                      const absl::Status& status) const {
  const JsonDialect* const dialect = Find(request);
  return dialect == nullptr ? libretranslate_.Error(request, status)
                            : DialectError(*dialect, status);
}

}  // namespace dragoman
