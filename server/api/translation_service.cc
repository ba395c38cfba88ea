#include "server/api/translation_service.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "dragoman/v1/translation.pb.h"
#include "server/api/call_reactor.h"
#include "server/api/query_call.h"
#include "server/api/status_map.h"
#include "server/api/translate_calls.h"
#include "server/base/quoted.h"
#include "server/call/client_rights.h"
#include "server/call/detection.h"
#include "server/call/response_builder.h"
#include "server/call/server_info.h"

namespace dragoman::server {

TranslationService::TranslationService(const ServiceContext* context,
                                       const std::atomic<bool>* draining)
    : context_(context), draining_(draining) {
  Add("/dragoman.v1.TranslationService/Translate", [this](grpc::CallbackServerContext* rpc) {
    return std::make_shared<UnaryCall>(context_, rpc);
  });
  Add("/dragoman.v1.TranslationService/StreamTranslate", [this](grpc::CallbackServerContext* rpc) {
    return std::make_shared<StreamCall>(context_, rpc);
  });
  Add("/dragoman.v1.TranslationService/DetectLanguage",
      AnswerAtOnce<v1::DetectLanguageRequest, v1::DetectLanguageResponse>(
          RpcMethod::kDetectLanguage,
          [this](const v1::DetectLanguageRequest& in, Client* client,
                 v1::DetectLanguageResponse* out) -> absl::Status {
            absl::StatusOr<v1::DetectLanguageResponse> found =
                DetectLanguages(*context_->calls, client, in);
            if (found.ok()) *out = *std::move(found);
            return found.status();
          }));
  Add("/dragoman.v1.TranslationService/ListLanguages",
      AnswerAtOnce<v1::ListLanguagesRequest, v1::ListLanguagesResponse>(
          RpcMethod::kListLanguages,
          [this](const v1::ListLanguagesRequest& in, Client* client,
                 v1::ListLanguagesResponse* out) -> absl::Status {
            const CallContext& calls = *context_->calls;
            if (absl::Status loaded = CheckLoaded(calls); !loaded.ok()) return loaded;
            std::vector<ModelPtr> models = VisibleModels(calls, client);
            if (!in.model().empty()) {
              absl::StatusOr<ModelPtr> model = FindVisibleModel(calls, client, in.model());
              if (!model.ok()) return model.status();
              models = {*std::move(model)};
            }
            *out = BuildLanguages(models);
            return absl::OkStatus();
          }));
  Add("/dragoman.v1.TranslationService/ListModels",
      AnswerAtOnce<v1::ListModelsRequest, v1::ListModelsResponse>(
          RpcMethod::kListModels,
          [this](const v1::ListModelsRequest& /*in*/, Client* client, v1::ListModelsResponse* out) {
            for (const ModelTable::Entry& entry : VisibleEntries(*context_->calls, client)) {
              const bool is_default = out->models_size() == 0 && entry.model != nullptr;
              *out->add_models() = BuildEntry(entry, is_default);
            }
            return absl::OkStatus();
          }));
  Add("/dragoman.v1.TranslationService/GetServerInfo",
      AnswerAtOnce<v1::GetServerInfoRequest, v1::GetServerInfoResponse>(
          RpcMethod::kGetServerInfo, [this](const v1::GetServerInfoRequest& /*in*/, Client* client,
                                            v1::GetServerInfoResponse* out) {
            const CallBounds bounds{.max_request_bytes = context_->max_message_bytes,
                                    .max_streams = context_->max_streams,
                                    .receive_timeout = context_->receive_timeout};
            *out = BuildServerInfo(*context_->calls, client, bounds, draining_->load());
            return absl::OkStatus();
          }));
}

template <typename Request, typename Response, typename Answer>
TranslationService::MakeCall TranslationService::AnswerAtOnce(RpcMethod method,
                                                              Answer answer) const {
  return [this, method, answer](grpc::CallbackServerContext* rpc) {
    return std::make_shared<QueryCall<Request, Response, Answer>>(context_, rpc, Api::kDragoman,
                                                                  method, answer);
  };
}

grpc::ServerGenericBidiReactor* MissingMethods::CreateReactor(
    grpc::GenericCallbackServerContext* rpc) {
  context_->calls->metrics->OnRpc(Api::kDragoman, RpcMethod::kUnknown,
                                  absl::StatusCode::kUnimplemented, 0, "");
  const bool admin = rpc->method().starts_with("/dragoman.v1.AdminService/");
  return new RefusingReactor(ToGrpcStatus(absl::UnimplementedError(
      absl::StrCat("method ", Quoted(rpc->method()), ": this ",
                   admin ? "address does not have it, but that of --admin-listen, if there is one"
                         : "server does not have it"))));
}

}  // namespace dragoman::server
