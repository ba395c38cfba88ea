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
#include "server/call/jobs/job_calls.h"
#include "server/call/response_builder.h"
#include "server/call/server_info.h"

namespace dragoman::server {

TranslationService::TranslationService(const ServiceContext* context,
                                       const std::atomic<bool>* draining) {
  Add("/dragoman.v1.TranslationService/Translate", [context](grpc::CallbackServerContext* rpc) {
    return std::make_shared<UnaryCall>(context, rpc);
  });
  Add("/dragoman.v1.TranslationService/StreamTranslate",
      [context](grpc::CallbackServerContext* rpc) {
        return std::make_shared<StreamCall>(context, rpc);
      });
  Add("/dragoman.v1.TranslationService/Score", [context](grpc::CallbackServerContext* rpc) {
    return std::make_shared<ScoreCall>(context, rpc);
  });
  Add("/dragoman.v1.TranslationService/StreamScore", [context](grpc::CallbackServerContext* rpc) {
    return std::make_shared<StreamScoreCall>(context, rpc);
  });
  const auto detect = [context](const v1::DetectLanguageRequest& in, Client* client) {
    return DetectLanguages(*context->calls, client, in);
  };
  Add("/dragoman.v1.TranslationService/DetectLanguage",
      AnswerQueries<v1::DetectLanguageRequest>(context, Api::kDragoman, RpcMethod::kDetectLanguage,
                                               detect));
  Add("/dragoman.v1.TranslationService/ListLanguages",
      AnswerQueries<v1::ListLanguagesRequest>(
          context, Api::kDragoman, RpcMethod::kListLanguages,
          [context](const auto& in,
                    const Client* client) -> absl::StatusOr<v1::ListLanguagesResponse> {
            const auto models = FindVisibleModels(*context->calls, client, in.model());
            if (!models.ok()) return models.status();
            return BuildLanguages(*models);
          }));
  Add("/dragoman.v1.TranslationService/ListModels",
      AnswerQueries<v1::ListModelsRequest>(
          context, Api::kDragoman, RpcMethod::kListModels,
          [context](const auto& /*in*/,
                    const Client* client) -> absl::StatusOr<v1::ListModelsResponse> {
            return BuildModels(VisibleEntries(*context->calls, client));
          }));
  const auto add_jobs = [&]<typename Request>(const char* path, RpcMethod method, auto answer) {
    Add(path, AnswerQueries<Request>(context, Api::kDragoman, method,
                                     [context, answer](const Request& in, const Client* client) {
                                       return answer(*context->calls, client, in);
                                     }));
  };
  add_jobs.operator()<v1::CreateJobRequest>("/dragoman.v1.TranslationService/CreateJob",
                                            RpcMethod::kCreateJob, CreateJob);
  add_jobs.operator()<v1::AppendToJobRequest>("/dragoman.v1.TranslationService/AppendToJob",
                                              RpcMethod::kAppendToJob, AppendToJob);
  add_jobs.operator()<v1::GetJobRequest>("/dragoman.v1.TranslationService/GetJob",
                                         RpcMethod::kGetJob, GetJob);
  add_jobs.operator()<v1::ListJobsRequest>(
      "/dragoman.v1.TranslationService/ListJobs", RpcMethod::kListJobs,
      [](const CallContext& calls, const Client* client, const v1::ListJobsRequest& /*in*/) {
        return ListJobs(calls, client);
      });
  add_jobs.operator()<v1::ReadJobRequest>("/dragoman.v1.TranslationService/ReadJob",
                                          RpcMethod::kReadJob, ReadJob);
  add_jobs.operator()<v1::DeleteJobRequest>("/dragoman.v1.TranslationService/DeleteJob",
                                            RpcMethod::kDeleteJob, DeleteJob);
  Add("/dragoman.v1.TranslationService/GetServerInfo",
      AnswerQueries<v1::GetServerInfoRequest>(
          context, Api::kDragoman, RpcMethod::kGetServerInfo,
          [context, draining](const auto& /*in*/,
                              const Client* client) -> absl::StatusOr<v1::GetServerInfoResponse> {
            const CallBounds bounds{.max_request_bytes = context->max_message_bytes,
                                    .max_streams = context->max_streams,
                                    .receive_timeout = context->receive_timeout};
            return BuildServerInfo(*context->calls, client, bounds, draining->load());
          }));
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
