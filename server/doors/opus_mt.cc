#include "server/doors/opus_mt.h"

#include <map>
#include <set>
#include <utility>

#include "server/call/client_rights.h"
#include "server/doors/dialect_parts.h"
#include "server/doors/door_errors.h"
#include "server/doors/field_reader.h"
#include "server/doors/json_body.h"
#include "server/doors/json_dialect.h"
#include "server/doors/request_fields.h"
#include "server/doors/short_tag.h"

namespace dragoman {
namespace {

using nlohmann::json;

absl::StatusOr<UnaryAction> Translate(const DoorContext& /*context*/, const json& fields) {
  FieldReader reader(fields);
  TextsToTranslate texts{.texts = {reader.Text("source")},
                         .source = reader.TextOr("from", kAutoLanguage),
                         .target = reader.Text("to")};
  if (!reader.status().ok()) return reader.status();
  return UnaryAction{RequestOf(std::move(texts)),
                     RenderJson([](const v1::TranslateResponse& answer) -> json {
                       return {{"translation", answer.translations(0).translated_text()}};
                     })};
}

// A record of Opus-MT's servers over WebSocket. The action without what makes the errors of items.
absl::StatusOr<UnaryAction> TranslateRecord(const HttpRequest& message) {
  const absl::StatusOr<json> record = ParseJsonObject(message);
  if (!record.ok()) return record.status();
  FieldReader reader(*record);
  const std::string source = reader.TextOr("source", kAutoLanguage);
  const std::string target = reader.Text("target");
  const std::string model = reader.TextOr("model", "");
  std::string text = reader.Text("text");
  if (!reader.status().ok()) return reader.status();
  UnaryAction action;
  action.request = RequestOf({.texts = {std::move(text)}, .source = source, .target = target});
  action.request.set_model(model);
  action.render = [source, target](const v1::TranslateResponse& answer) {
    const v1::Translation& item = answer.translations(0);
    return JsonResponse(200, {{"result", item.translated_text()},
                              {"source", SourceOf(item, source)},
                              {"target", target}});
  };
  return action;
}

const JsonDialect kDialect = {.api = Api::kOpusMt, .translate = Translate, .error = PlainError};

// The reason with which a WebSocket is closed.
HttpResponse CloseReason(const absl::Status& status) {
  HttpResponse response;
  response.status = StatusWithoutRetry(status);
  response.body = std::string(status.message());
  return response;
}

}  // namespace

std::vector<DoorRoute> OpusMtDoor::Routes() {
  std::vector<DoorRoute> routes = JsonDialectDoor::Routes("/api/translate");
  routes.push_back({.method = "GET", .path = "/api/languages", .rpc = RpcMethod::kListLanguages});
  routes.push_back(
      {.method = "GET", .path = "/api/ready", .rpc = RpcMethod::kQuery, .is_open = true});
  // opusMT-router.py connects to "ws://HOST:PORT".
  routes.push_back({.method = kWebSocketMethod, .path = "/"});
  return routes;
}

std::string OpusMtDoor::Key(const HttpRequest& request) const { return TokenKey(request); }

absl::StatusOr<DoorAction> OpusMtDoor::Handle(const HttpRequest& request,
                                              const Client* client) const {
  if (request.method == "OPTIONS") return CorsPreflight();
  if (request.path == "/api/languages") {
    return context_.lists->Get(request, "Opus-MT languages",
                               MadeOfModels(VisibleModels(*context_.calls, client)),
                               [this, client] { return Languages(client); });
  }
  if (request.path == "/api/ready") {
    const bool draining = context_.calls->draining != nullptr && context_.calls->draining->load();
    if (draining) return absl::UnavailableError("the server is draining");
    HttpResponse response;
    response.status = 204;
    return WithCors(std::move(response));
  }
  if (request.method == kWebSocketMethod) return Record(request);
  const absl::StatusOr<json> fields = ReadRequestFields(request);
  if (!fields.ok()) return fields.status();
  return DialectAction(kDialect, context_, client, *fields);
}

absl::StatusOr<DoorAction> OpusMtDoor::Record(const HttpRequest& message) const {
  absl::StatusOr<UnaryAction> action = TranslateRecord(message);
  if (!action.ok()) return action.status();
  action->render = [render = std::move(action->render)](const v1::TranslateResponse& answer) {
    const absl::Status failed = FirstItemError(answer);
    return failed.ok() ? render(answer) : CloseReason(failed);
  };
  return *std::move(action);
}

HttpResponse OpusMtDoor::Error(const HttpRequest& request, const absl::Status& status) const {
  return request.method == kWebSocketMethod ? CloseReason(status) : DialectError(kDialect, status);
}

HttpResponse OpusMtDoor::Languages(const Client* client) const {
  std::map<std::string, std::set<std::string>> all;
  const auto served = context_.languages->Get(client);
  for (const auto& [source, targets] : served->targets_of) {
    const std::vector<std::string> any = {source};
    for (const std::string& one : source.empty() ? served->all : any) {
      for (const std::string& target : targets) all[ShortTag(one)].insert(ShortTag(target));
    }
  }
  return WithCors(JsonResponse(200, {{"languages", all}}));
}

}  // namespace dragoman
