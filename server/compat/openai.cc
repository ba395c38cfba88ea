#include "server/compat/openai.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "server/api/adapter_errors.h"
#include "server/api/request_fields.h"
#include "server/base/steady_clock.h"
#include "server/call/client_rights.h"
#include "server/call/request_error.h"
#include "server/call/rpc_status.h"
#include "server/compat/openai_models.h"
#include "server/compat/openai_request.h"
#include "server/compat/openai_segments.h"
#include "server/compat/openai_stream.h"

namespace dragoman::server {
namespace {

using nlohmann::json;

constexpr char kChat[] = "/v1/chat/completions";
constexpr char kCompletions[] = "/v1/completions";
constexpr std::string_view kModels = "/v1/models";

const char* FinishReasonOf(v1::FinishReason reason) {
  return reason == v1::LENGTH ? "length" : "stop";
}

json ErrorBody(const absl::Status& status) {
  const int code = StatusOfHttp(status);
  const std::vector<FieldViolation> violations = ViolationsOf(status);
  json error = {{"message", std::string(status.message())},
                {"type", code == 429   ? "rate_limit_exceeded"
                         : code >= 500 ? "server_error"
                                       : "invalid_request_error"},
                {"param", nullptr},
                {"code", nullptr}};
  if (!violations.empty() && !violations.front().field.empty()) {
    error["param"] = violations.front().field;
  }
  if (code == 401) error["code"] = "invalid_api_key";
  if (code == 404 && !IsHttpError(status)) error["code"] = "model_not_found";
  return {{"error", std::move(error)}};
}

json ModelObject(const NamedPair& pair) {
  return {
      {"id", pair.id}, {"object", "model"}, {"created", pair.created}, {"owned_by", "dragoman"}};
}

json Choice(bool is_chat, int index, const std::string& text, v1::FinishReason reason) {
  json choice = {
      {"index", index}, {"logprobs", nullptr}, {"finish_reason", FinishReasonOf(reason)}};
  if (is_chat) {
    choice["message"] = {{"role", "assistant"}, {"content", text}, {"refusal", nullptr}};
  } else {
    choice["text"] = text;
  }
  return choice;
}

HttpResponse RenderAnswer(const OpenAiRequest& asked, const v1::TranslateResponse& answer) {
  if (absl::Status failed = ItemErrorOf(answer); !failed.ok()) {
    return JsonResponse(StatusOfHttp(failed), ErrorBody(failed));
  }
  json choices = json::array();
  OpenAiUsage usage;
  if (asked.batch.has_value()) {
    v1::FinishReason reason = v1::EOS;
    for (const v1::Translation& translation : answer.translations()) {
      usage.Add(translation);
      if (translation.finish_reason() == v1::LENGTH) reason = v1::LENGTH;
    }
    choices.push_back(Choice(true, 0, WriteSegmentBatch(*asked.batch, answer), reason));
  }
  for (const v1::Translation& translation : answer.translations()) {
    if (asked.batch.has_value()) break;
    usage.Add(translation);
    choices.push_back(Choice(asked.is_chat, static_cast<int>(choices.size()),
                             translation.translated_text(), translation.finish_reason()));
    for (const v1::Alternative& alternative : translation.alternatives()) {
      choices.push_back(Choice(asked.is_chat, static_cast<int>(choices.size()), alternative.text(),
                               alternative.finish_reason()));
    }
  }
  return JsonResponse(200, {{"id", OpenAiId(asked.is_chat, answer.request_id())},
                            {"object", asked.is_chat ? "chat.completion" : "text_completion"},
                            {"created", UnixNow()},
                            {"model", asked.model},
                            {"choices", std::move(choices)},
                            {"usage", usage.Json()}});
}

}  // namespace

std::vector<AdapterRoute> OpenAiAdapter::Routes() {
  return {{.method = "POST", .path = kChat},
          {.method = "POST", .path = kCompletions},
          {.method = "GET", .path = "/v1/models", .rpc = RpcMethod::kListModels},
          {.method = "GET", .path = "/v1/models/*", .rpc = RpcMethod::kListModels}};
}

std::string OpenAiAdapter::Key(const HttpRequest& request) const {
  std::string key = AuthorizationKey(request, "Bearer");
  return key.empty() ? std::string(request.Header("api-key")) : key;
}

absl::StatusOr<AdapterAction> OpenAiAdapter::Handle(const HttpRequest& request,
                                                    const Client* client) const {
  if (std::string_view(request.path).starts_with(kModels)) {
    const auto models = FindVisibleModels(*context_.calls, client, "");
    if (!models.ok()) return models.status();
    if (request.path.size() > kModels.size()) {
      const absl::StatusOr<NamedPair> named =
          FindOpenAiModel(*models, std::string_view(request.path).substr(kModels.size() + 1));
      if (!named.ok()) return named.status();
      return JsonResponse(200, ModelObject(*named));
    }
    return context_.lists->Get(request, "OpenAI models", MadeOfModels(*models), [&] {
      json data = json::array();
      for (const NamedPair& named : ListOpenAiModels(*models)) data.push_back(ModelObject(named));
      return JsonResponse(200, {{"object", "list"}, {"data", std::move(data)}});
    });
  }
  absl::StatusOr<OpenAiRequest> asked = request.path == kChat
                                            ? ReadOpenAiChat(request, context_, client)
                                            : ReadOpenAiCompletion(request, context_, client);
  if (!asked.ok()) return asked.status();
  v1::TranslateRequest translate = std::move(asked->request);
  asked->request.Clear();
  if (asked->stream) {
    OpenAiStreamFacts facts{.is_chat = asked->is_chat,
                            .model = asked->model,
                            .created = UnixNow(),
                            .with_usage = asked->stream_usage,
                            .error = ErrorBody};
    for (const std::string& text : translate.contents()) facts.sources.push_back(text);
    translate.mutable_return_options()->set_partials(
        !translate.decoding().has_sampling());  // sampling excludes partials
    return StreamAction{.request = std::move(translate),
                        .renderer = MakeOpenAiStream(std::move(facts))};
  }
  return UnaryAction{.request = std::move(translate),
                     .render = [asked = *std::move(asked)](const v1::TranslateResponse& answer) {
                       return RenderAnswer(asked, answer);
                     }};
}

HttpResponse OpenAiAdapter::Error(const HttpRequest& /*request*/,
                                  const absl::Status& status) const {
  // UNIMPLEMENTED is answered with 400, because OpenAI's clients would retry 501 as a failure of
  // the server.
  const int code = StatusOfHttp(status);
  json body = ErrorBody(status);
  const bool is_missing = code == 501 && !IsHttpError(status);
  if (is_missing) body["error"]["type"] = "invalid_request_error";
  return JsonResponse(is_missing ? 400 : code, body);
}

}  // namespace dragoman::server
