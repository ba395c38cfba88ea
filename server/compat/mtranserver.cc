#include "server/compat/mtranserver.h"

#include <utility>

#include "server/api/adapter_errors.h"
#include "server/api/field_reader.h"
#include "server/base/version.h"
#include "server/compat/dialect_parts.h"

namespace dragoman::server {
namespace {

using nlohmann::json;

// Reads the fields that both dialects share.
TextsToTranslate ReadCommon(FieldReader* reader) {
  TextsToTranslate common;
  common.source = reader->TextOr("from", kAutoLanguage);
  common.target = reader->Text("to");
  common.html = reader->Flag("html");
  return common;
}

absl::StatusOr<UnaryAction> TranslateOne(const AdapterContext& /*context*/, const json& fields) {
  FieldReader reader(fields);
  TextsToTranslate texts = ReadCommon(&reader);
  texts.texts = {reader.Text("text")};
  if (!reader.status().ok()) return reader.status();
  return UnaryAction{RequestOf(std::move(texts)),
                     RenderJson([](const v1::TranslateResponse& answer) -> json {
                       return {{"result", answer.translations(0).translated_text()}};
                     })};
}

absl::StatusOr<UnaryAction> TranslateBatch(const AdapterContext& /*context*/, const json& fields) {
  FieldReader reader(fields);
  TextsToTranslate texts = ReadCommon(&reader);
  texts.texts = reader.Texts("texts");
  if (!reader.status().ok()) return reader.status();
  return UnaryAction{RequestOf(std::move(texts)),
                     RenderJson([](const v1::TranslateResponse& answer) -> json {
                       return {{"results", TextsOf(answer)}};
                     })};
}

}  // namespace

JsonDialect MTranServerDialect() {
  return {.api = Api::kMTranServer, .translate = TranslateOne, .error = PlainError};
}

JsonDialect MTranServerBatchDialect() {
  return {.api = Api::kMTranServer, .translate = TranslateBatch, .error = PlainError};
}

std::vector<AdapterRoute> MTranServerProbesAdapter::Routes() {
  std::vector<AdapterRoute> routes;
  for (const std::string_view path : {"/version", "/__heartbeat__", "/__lbheartbeat__"}) {
    routes.push_back({.method = "GET", .path = path, .rpc = RpcMethod::kQuery, .is_open = true});
  }
  return routes;
}

std::string MTranServerProbesAdapter::Key(const HttpRequest& request) const {
  return TokenKey(request);
}

absl::StatusOr<AdapterAction> MTranServerProbesAdapter::Handle(const HttpRequest& request,
                                                               const Client* /*client*/) const {
  if (request.path == "/version") return WithCors(JsonResponse(200, {{"version", kVersion}}));
  const bool draining = context_.calls->draining != nullptr && context_.calls->draining->load();
  if (draining) return absl::UnavailableError("the server is draining");
  return WithCors(JsonResponse(200, {{"status", "ok"}}));
}

HttpResponse MTranServerProbesAdapter::Error(const HttpRequest& /*request*/,
                                             const absl::Status& status) const {
  return DialectError(MTranServerDialect(), status);
}

}  // namespace dragoman::server
