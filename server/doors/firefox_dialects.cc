#include "server/doors/firefox_dialects.h"

#include "server/base/version.h"
#include "server/doors/dialect_parts.h"
#include "server/doors/door_errors.h"
#include "server/doors/field_reader.h"
#include "server/doors/request_fields.h"

namespace dragoman {
namespace {

using nlohmann::json;

absl::StatusOr<UnaryAction> Read(const json& fields, const char* name,
                                 std::function<json(const v1::TranslateResponse&)> body) {
  FieldReader reader(fields);
  TextsToTranslate texts;
  texts.source = reader.TextOr("from", kAutoLanguage);
  texts.target = reader.Text("to");
  texts.texts = reader.Texts(name);
  texts.html = reader.Flag("html");
  if (!reader.status().ok()) return reader.status();
  return UnaryAction{RequestOf(std::move(texts)), RenderJson(std::move(body))};
}

absl::StatusOr<UnaryAction> TranslateOne(const DoorContext& /*context*/, const json& fields) {
  FieldReader reader(fields);
  const std::string from = reader.TextOr("from", kAutoLanguage);
  const std::string to = reader.Text("to");
  reader.Text("text");  // not a list
  if (!reader.status().ok()) return reader.status();
  return Read(fields, "text", [from, to](const v1::TranslateResponse& answer) -> json {
    const v1::Translation& item = answer.translations(0);
    return {{"result", item.translated_text()},
            {"text", item.translated_text()},
            {"from", SourceOf(item, from)},
            {"to", to}};
  });
}

absl::StatusOr<UnaryAction> TranslateBatch(const DoorContext& /*context*/, const json& fields) {
  return Read(fields, "texts", [](const v1::TranslateResponse& answer) -> json {
    return {{"results", TextsOf(answer)}};
  });
}

}  // namespace

JsonDialect FirefoxDialect() {
  return {.api = Api::kMTranServer,
          .claims = [](const json& f) { return HasField(f, "text") && HasField(f, "to"); },
          .translate = TranslateOne,
          .error = PlainError};
}

JsonDialect FirefoxBatchDialect() {
  return {.api = Api::kMTranServer,
          .claims = [](const json& f) { return HasField(f, "texts") && HasField(f, "to"); },
          .translate = TranslateBatch,
          .error = PlainError};
}

std::vector<DoorRoute> FirefoxProbesDoor::Routes() {
  std::vector<DoorRoute> routes;
  for (const std::string_view path : {"/version", "/__heartbeat__", "/__lbheartbeat__"}) {
    routes.push_back({.method = "GET", .path = path, .rpc = RpcMethod::kQuery, .is_open = true});
  }
  return routes;
}

std::string FirefoxProbesDoor::Key(const HttpRequest& request) const { return TokenKey(request); }

absl::StatusOr<DoorAction> FirefoxProbesDoor::Handle(const HttpRequest& request,
                                                     const Client* /*client*/) const {
  if (request.path == "/version") return WithCors(JsonResponse(200, {{"version", kVersion}}));
  const bool draining = context_.calls->draining != nullptr && context_.calls->draining->load();
  if (draining) return absl::UnavailableError("the server is draining");
  return WithCors(JsonResponse(200, {{"status", "ok"}}));
}

HttpResponse FirefoxProbesDoor::Error(const HttpRequest& /*request*/,
                                      const absl::Status& status) const {
  return DialectError(FirefoxDialect(), status);
}

}  // namespace dragoman
