#include "server/doors/open_nmt.h"

#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/base/quoted.h"
#include "server/call/client_rights.h"
#include "server/call/request_error.h"
#include "server/doors/dialect_parts.h"
#include "server/doors/door_errors.h"
#include "server/doors/json_body.h"
#include "server/doors/json_dialect.h"
#include "server/doors/request_fields.h"

namespace dragoman {
namespace {

using nlohmann::json;

constexpr int64_t kFirstModel = 100;

json AnswerOf(const json& inputs, const v1::TranslateResponse& answer) {
  json best = json::array();
  for (const v1::Translation& item : answer.translations()) {
    best.push_back({{"src", inputs.at(best.size()).at("src")},
                    {"tgt", item.translated_text()},
                    {"n_best", 1},
                    {"pred_score", item.has_score() ? item.score() : item.log_prob()}});
  }
  return json::array({best});
}

}  // namespace

std::vector<DoorRoute> OpenNmtDoor::Routes() {
  return {
      {.method = "POST", .path = "/translator/translate"},
      {.method = "GET", .path = "/translator/models", .rpc = RpcMethod::kListModels},
      {.method = "GET", .path = "/translator/health", .rpc = RpcMethod::kQuery, .is_open = true},
      {.method = "GET", .path = "/translator/*", .rpc = RpcMethod::kQuery},
      {.method = "POST", .path = "/translator/*", .rpc = RpcMethod::kQuery}};
}

std::string OpenNmtDoor::Key(const HttpRequest& request) const { return TokenKey(request); }

absl::StatusOr<DoorAction> OpenNmtDoor::Handle(const HttpRequest& request,
                                               const Client* client) const {
  if (request.path == "/translator/translate") return Translate(request, client);
  if (request.path == "/translator/models") return Models(client);
  if (request.path == "/translator/health") {
    const bool draining = context_.calls->draining != nullptr && context_.calls->draining->load();
    if (draining) return absl::UnavailableError("the server is draining");
    return JsonResponse(200, {{"status", "ok"}});
  }
  return absl::UnimplementedError(absl::StrCat(
      Quoted(request.path), ": models are loaded and placed by this server's operator"));
}

HttpResponse OpenNmtDoor::Error(const HttpRequest& /*request*/, const absl::Status& status) const {
  return JsonResponse(StatusWithoutRetry(status),
                      {{"error", status.message()}, {"status", "error"}});
}

absl::StatusOr<DoorAction> OpenNmtDoor::Translate(const HttpRequest& request,
                                                  const Client* client) const {
  const absl::StatusOr<json> inputs = ParseJsonBody(request);
  if (!inputs.ok()) return inputs.status();
  if (!inputs->is_array() || inputs->empty()) {
    return InvalidField("", absl::StrCat("the body: found ", KindOf(*inputs),
                                         ", expected a list of {\"id\": 100, \"src\": \"...\"}"));
  }
  const std::vector<ModelPtr> models = VisibleModels(*context_.calls, client);
  TextsToTranslate texts;
  std::optional<std::string> model;
  for (const json& input : *inputs) {
    const std::string place = absl::StrCat("[", texts.texts.size(), "]");
    if (!input.is_object()) {
      return InvalidField(place, absl::StrCat("found ", KindOf(input), ", expected an object"));
    }
    std::optional<std::string> src;
    const absl::Status read = ReadField(input, "src", &src);
    if (!read.ok()) return read;
    if (!src.has_value()) {
      return InvalidField(absl::StrCat(place, ".src"), "found nothing, expected a text");
    }
    if (HasField(input, "ref")) {
      return absl::UnimplementedError(
          absl::StrCat(place, ".ref: this server forces no prefix here"));
    }
    const absl::StatusOr<std::string> name = ModelOf(input, models);
    if (!name.ok()) return name.status();
    if (model.has_value() && *model != *name) {
      return InvalidField(absl::StrCat(place, ".id"),
                          "found another model than before, expected one for all inputs");
    }
    model = *name;
    texts.texts.push_back(*std::move(src));
  }
  UnaryAction action;
  action.request = RequestOf(std::move(texts));
  action.request.set_model(*model);
  action.request.mutable_return_options()->set_scores(true);
  action.render = [this, inputs = *inputs](const v1::TranslateResponse& answer) {
    const absl::Status failed = FirstItemError(answer);
    if (!failed.ok()) return Error({}, failed);
    return JsonResponse(200, AnswerOf(inputs, answer));
  };
  return action;
}

absl::StatusOr<std::string> OpenNmtDoor::ModelOf(const json& input,
                                                 const std::vector<ModelPtr>& models) const {
  if (!HasField(input, "id")) return "";
  const json& id = input.at("id");
  if (id.is_string()) return id.get<std::string>();
  std::optional<int64_t> number;
  const absl::Status read = ReadField(input, "id", &number);
  if (!read.ok()) return read;
  if (*number == 0) return "";
  const int64_t place = *number - kFirstModel;
  if (place < 0 || place >= static_cast<int64_t>(models.size())) {
    return absl::NotFoundError(absl::StrCat("id: found ", *number, ", expected ", kFirstModel,
                                            " to ", kFirstModel + models.size() - 1,
                                            ", the numbers at /translator/models"));
  }
  return models[static_cast<size_t>(place)]->name;
}

HttpResponse OpenNmtDoor::Models(const Client* client) const {
  json list = json::array();
  for (const ModelPtr& model : VisibleModels(*context_.calls, client)) {
    list.push_back({{"model_id", kFirstModel + static_cast<int64_t>(list.size())},
                    {"models", json::array({model->name})},
                    {"opt", json::object()},
                    {"loaded", true},
                    {"timeout", -1}});
  }
  return JsonResponse(200, list);
}

}  // namespace dragoman
