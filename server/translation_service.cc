#include "server/translation_service.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/text/glossary.h"
#include "kernels/decide/options.h"
#include "server/grpc_bytes.h"
#include "server/log.h"
#include "server/quoted.h"
#include "server/request_error.h"
#include "server/response_builder.h"
#include "server/status_map.h"
#include "server/steady_clock.h"
#include "server/stream_call.h"
#include "server/unary_call.h"
#include "server/version.h"
#include "server/wire_check.h"

namespace dragoman {
namespace {

v1::GetServerInfoResponse BuildServerInfo(const ServiceContext& context, bool draining) {
  v1::GetServerInfoResponse info;
  info.set_version(kVersion);
  info.set_draining(draining);
  v1::Limits* limits = info.mutable_limits();
  limits->set_max_items(context.limits.max_items);
  limits->set_max_code_points(static_cast<int32_t>(context.limits.max_code_points));
  limits->set_max_beam(kMaxBeam);
  limits->set_max_wanted_ids(kMaxWantedIds);
  limits->set_max_constraint_tokens(kMaxConstraintTokens);
  limits->set_max_forbidden_nodes(kMaxForbiddenNodes);
  limits->set_max_request_id_length(kMaxRequestIdLength);
  limits->set_max_labels(kMaxLabels);
  limits->set_max_label_bytes(kMaxLabelBytes);
  limits->set_max_phrase_bytes(static_cast<int32_t>(kMaxTermBytes));
  limits->set_max_terms(kMaxTerms);
  limits->mutable_longest_call()->set_seconds(context.longest_call / kNanosPerSecond);
  for (const Engine* engine : context.models.engines()) {
    info.add_models(engine->info().name);
    if (info.models_size() > 1) continue;
    const EngineStats stats = engine->Stats();
    limits->set_queue_segments(stats.queue_segment_capacity);
    limits->set_queue_tokens(stats.queue_token_capacity);
  }
  return info;
}

class RefusingReactor final : public grpc::ServerGenericBidiReactor {
 public:
  explicit RefusingReactor(grpc::Status status) { Finish(std::move(status)); }
  void OnDone() override { delete this; }
};

}  // namespace

grpc::ServerUnaryReactor* TranslationService::Translate(grpc::CallbackServerContext* rpc,
                                                        const grpc::ByteBuffer* request,
                                                        grpc::ByteBuffer* response) {
  return UnaryCall::Start(context_, rpc, *request, response);
}

grpc::ServerWriteReactor<grpc::ByteBuffer>* TranslationService::StreamTranslate(
    grpc::CallbackServerContext* rpc, const grpc::ByteBuffer* request) {
  return StreamCall::Start(context_, rpc, *request);
}

template <typename Request, typename Response, typename Answer>
grpc::ServerUnaryReactor* TranslationService::AnswerAtOnce(RpcMethod method,
                                                           grpc::CallbackServerContext* rpc,
                                                           const grpc::ByteBuffer& request,
                                                           grpc::ByteBuffer* response,
                                                           Answer answer) {
  const Nanos started = context_->clock->Now();
  const std::string bytes = FlattenBytes(request);
  Request in;
  Response out;
  absl::Status status;
  if (!in.ParseFromString(bytes)) {
    status = ExplainUnparsable(*Request::descriptor(), bytes);
  } else if (const auto unknown = UnknownFields(in); !unknown.empty()) {
    status = UnimplementedFields(unknown);
  } else {
    status = answer(in, &out);
  }
  if (status.ok() && !SerializeBytes(out, response)) {
    status = absl::InternalError("the response could not be serialised");
  }
  context_->metrics->OnRpc(method, status.code(), context_->clock->Now() - started, status.ok());
  Log(LogLevel::kDebug, "call",
      {{"method", RpcMethodName(method)}, {"code", CodeName(status.code())}});
  grpc::ServerUnaryReactor* reactor = rpc->DefaultReactor();
  reactor->Finish(ToGrpcStatus(status));
  return reactor;
}

grpc::ServerUnaryReactor* TranslationService::ListLanguages(grpc::CallbackServerContext* rpc,
                                                            const grpc::ByteBuffer* request,
                                                            grpc::ByteBuffer* response) {
  return AnswerAtOnce<v1::ListLanguagesRequest, v1::ListLanguagesResponse>(
      RpcMethod::kListLanguages, rpc, *request, response,
      [this](const v1::ListLanguagesRequest& in, v1::ListLanguagesResponse* out) {
        const Engine* engine = context_->models.Find(in.model());
        if (engine == nullptr) {
          return absl::NotFoundError(absl::StrCat("model: found ", Quoted(in.model()),
                                                  ", expected one that ListModels names"));
        }
        *out = BuildLanguages(engine->info());
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* TranslationService::ListModels(grpc::CallbackServerContext* rpc,
                                                         const grpc::ByteBuffer* request,
                                                         grpc::ByteBuffer* response) {
  return AnswerAtOnce<v1::ListModelsRequest, v1::ListModelsResponse>(
      RpcMethod::kListModels, rpc, *request, response,
      [this](const v1::ListModelsRequest& /*in*/, v1::ListModelsResponse* out) {
        for (const Engine* engine : context_->models.engines()) {
          const bool is_default = out->models_size() == 0;
          *out->add_models() = BuildModel(engine->info(), is_default);
        }
        return absl::OkStatus();
      });
}

grpc::ServerUnaryReactor* TranslationService::GetServerInfo(grpc::CallbackServerContext* rpc,
                                                            const grpc::ByteBuffer* request,
                                                            grpc::ByteBuffer* response) {
  return AnswerAtOnce<v1::GetServerInfoRequest, v1::GetServerInfoResponse>(
      RpcMethod::kGetServerInfo, rpc, *request, response,
      [this](const v1::GetServerInfoRequest& /*in*/, v1::GetServerInfoResponse* out) {
        *out = BuildServerInfo(*context_, draining_->load());
        return absl::OkStatus();
      });
}

grpc::ServerGenericBidiReactor* MissingMethods::CreateReactor(
    grpc::GenericCallbackServerContext* rpc) {
  context_->metrics->OnRpc(RpcMethod::kUnknown, absl::StatusCode::kUnimplemented, 0, false);
  return new RefusingReactor(ToGrpcStatus(absl::UnimplementedError(
      absl::StrCat("method ", Quoted(rpc->method()), ": this server does not have it"))));
}

}  // namespace dragoman
