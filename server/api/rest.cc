#include "server/api/rest.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/api/adapter_errors.h"
#include "server/api/form.h"
#include "server/api/json_body.h"
#include "server/api/proto_json.h"
#include "server/api/request_fields.h"
#include "server/base/quoted.h"
#include "server/call/client_rights.h"
#include "server/call/request_error.h"
#include "server/call/response_builder.h"
#include "server/call/server_info.h"

namespace dragoman::server {
namespace {

HttpResponse UncachedAnswer(const google::protobuf::Message& message) {
  HttpResponse response = JsonTextResponse(200, WriteProtoJson(message));
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

std::string Event(std::string_view name, std::string_view data) {
  std::string event = "event: ";
  event.append(name).append("\ndata: ").append(data).append("\n\n");
  return event;
}

class EventRenderer final : public StreamRenderer {
 public:
  HttpResponse Head() override {
    // X-Accel-Buffering asks nginx and similar proxies not to buffer events.
    return {.content_type = "text/event-stream; charset=utf-8",
            .headers = {{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}}};
  }

  std::string Message(const v1::StreamTranslateResponse& message) override {
    const char* name = message.has_translation() ? "translation"
                       : message.has_timings()   ? "timings"
                                                 : "segment";
    return Event(name, WriteProtoJson(message));
  }

  std::string End(const absl::Status& status) override {
    if (status.ok()) return Event("end", "{}");
    return Event("error", DumpJson({{"error", ErrorObject(status)}}));
  }
};

// Reads the query's parameter `model` into `model`, or no parameter if `model` is nullptr. An error
// names any other parameter, but not its value, which may be a key.
absl::Status ReadModelQuery(const HttpRequest& request, std::string* model) {
  const absl::StatusOr<Form> query = ReadQuery(request);
  if (!query.ok()) return query.status();
  for (const FormField& field : query->fields()) {
    if (model == nullptr || field.name != "model") {
      return InvalidField("", absl::StrCat("found the query parameter ", Quoted(field.name),
                                           ", expected ", model == nullptr ? "none" : "model"));
    }
    *model = field.value;
  }
  return absl::OkStatus();
}

template <typename Message>
absl::StatusOr<Message> ReadRequest(const HttpRequest& request) {
  if (absl::Status status = CheckJsonType(request); !status.ok()) return status;
  if (absl::Status status = ReadModelQuery(request, nullptr); !status.ok()) return status;
  Message message;
  if (absl::Status status = ReadProtoJson(request.body, &message); !status.ok()) return status;
  return message;
}

class RestAdapter final : public Adapter {
 public:
  explicit RestAdapter(const AdapterContext& context) : context_(context) {}

  Api api() const override { return Api::kDragoman; }

  std::string Key(const HttpRequest& request) const override {
    return AuthorizationKey(request, "Bearer");
  }

  absl::StatusOr<AdapterAction> Handle(const HttpRequest& request,
                                       const Client* client) const override {
    if (request.path == "/v1/translate") return Translate(request);
    if (request.path == "/v1/translate:stream") return Stream(request);
    if (request.path == "/v1/detect") return Detect(request);
    std::string model;
    const bool is_list = request.path == "/v1/languages";
    if (absl::Status status = ReadModelQuery(request, is_list ? &model : nullptr); !status.ok()) {
      return status;
    }
    if (is_list) return ListLanguages(request, model, client);
    if (request.path == "/v1/info") return Info(client);
    if (request.path == "/v1/info/models") return ListModels(client);
    return context_.lists->Get(request, "OpenAPI", {},
                               [] { return JsonTextResponse(200, std::string(OpenApiJson())); });
  }

  HttpResponse Error(const HttpRequest& /*request*/, const absl::Status& status) const override {
    return NeutralError(status);
  }

 private:
  static absl::StatusOr<AdapterAction> Translate(const HttpRequest& request) {
    auto message = ReadRequest<v1::TranslateRequest>(request);
    if (!message.ok()) return message.status();
    UnaryAction action;
    action.request = *std::move(message);
    action.render = [](const v1::TranslateResponse& answer) { return UncachedAnswer(answer); };
    return action;
  }

  static absl::StatusOr<AdapterAction> Stream(const HttpRequest& request) {
    auto message = ReadRequest<v1::TranslateRequest>(request);
    if (!message.ok()) return message.status();
    StreamAction action;
    action.request = *std::move(message);
    action.renderer = std::make_unique<EventRenderer>();
    return action;
  }

  static absl::StatusOr<AdapterAction> Detect(const HttpRequest& request) {
    auto message = ReadRequest<v1::DetectLanguageRequest>(request);
    if (!message.ok()) return message.status();
    DetectAction action;
    action.request = *std::move(message);
    action.render = [](const v1::DetectLanguageResponse& answer) { return UncachedAnswer(answer); };
    return action;
  }

  absl::StatusOr<AdapterAction> ListLanguages(const HttpRequest& request, const std::string& name,
                                              const Client* client) const {
    const auto models = FindVisibleModels(*context_.calls, client, name);
    if (!models.ok()) return models.status();
    return context_.lists->Get(request, "languages", MadeOfModels(*models), [&] {
      return JsonTextResponse(200, WriteProtoJson(BuildLanguages(*models)));
    });
  }

  HttpResponse Info(const Client* client) const {
    return UncachedAnswer(
        BuildServerInfo(*context_.calls, client, context_.bounds, context_.calls->is_draining()));
  }

  HttpResponse ListModels(const Client* client) const {
    return UncachedAnswer(BuildModels(VisibleEntries(*context_.calls, client)));
  }

  const AdapterContext context_;
};

}  // namespace

std::unique_ptr<Adapter> MakeRestAdapter(const AdapterContext& context) {
  return std::make_unique<RestAdapter>(context);
}

std::vector<AdapterRoute> RestRoutes() {
  return {{.method = "POST", .path = "/v1/translate"},
          {.method = "POST", .path = "/v1/translate:stream"},
          {.method = "POST", .path = "/v1/detect", .rpc = RpcMethod::kDetectLanguage},
          {.method = "GET", .path = "/v1/languages", .rpc = RpcMethod::kListLanguages},
          {.method = "GET", .path = "/v1/info", .rpc = RpcMethod::kGetServerInfo},
          {.method = "GET", .path = "/v1/info/models", .rpc = RpcMethod::kListModels},
          {.method = "GET", .path = "/v1/openapi.json", .rpc = RpcMethod::kQuery, .is_open = true}};
}

}  // namespace dragoman::server
