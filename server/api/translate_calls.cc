#include "server/api/translate_calls.h"

#include <utility>

#include "server/api/raw_service.h"
#include "server/call/response_builder.h"

namespace dragoman::server {

UnaryCall::UnaryCall(const ServiceContext* service, grpc::CallbackServerContext* rpc, Api api,
                     std::string route, RpcMethod method)
    : CallReactor(service, rpc),
      call_(std::make_shared<UnaryTranslation>(service->calls, method, Head(api, std::move(route)),
                                               this)) {}

void UnaryCall::HandleRequest(const grpc::ByteBuffer& request) {
  call_->HandleRequest(
      ParseTranslateRequest(FlattenBytes(request), calls().limits, CallKind::kUnary));
}

absl::Status UnaryCall::Keep(const google::protobuf::MessageLite& message) {
  return SerializeBytes(message, &response_)
             ? absl::OkStatus()
             : absl::InternalError("the response could not be serialised");
}

void UnaryCall::Finish(const absl::Status& status) {
  const grpc::Status end = EndStatus(status);
  if (status.ok()) {
    SendAndFinish(&response_, end);
  } else {
    FinishCall(end);
  }
}

StreamCall::StreamCall(const ServiceContext* service, grpc::CallbackServerContext* rpc,
                       RpcMethod method, std::string route)
    : CallReactor(service, rpc),
      call_(std::make_shared<StreamTranslation>(service->calls, method,
                                                Head(Api::kDragoman, std::move(route)), this)) {}

void StreamCall::HandleRequest(const grpc::ByteBuffer& request) {
  call_->HandleRequest(
      ParseTranslateRequest(FlattenBytes(request), calls().limits, CallKind::kStream));
}

void StreamCall::StartWrite(v1::StreamTranslateResponse message) { Write(message); }

void StreamCall::Write(const google::protobuf::MessageLite& message) {
  // Serializing cannot fail, because the limits on requests exclude messages above 2 GiB.
  SerializeBytes(message, &buffer_);
  // Send must come last, because OnWriteDone and the end of the call may happen before Send
  // returns.
  Send(&buffer_);
}

void ScoreCall::HandleRequest(const grpc::ByteBuffer& request) {
  call().HandleRequest(ParseScoreRequest(FlattenBytes(request), calls().limits));
}

absl::Status ScoreCall::SetAnswer(const v1::TranslateResponse& answer) {
  v1::ScoreResponse scores;
  scores.set_request_id(answer.request_id());
  for (const v1::Translation& scored : answer.translations()) {
    scores.set_model(scored.model());
    *scores.add_scores() = BuildPairScore(scored);
  }
  return Keep(scores);
}

void StreamScoreCall::HandleRequest(const grpc::ByteBuffer& request) {
  call().HandleRequest(ParseScoreRequest(FlattenBytes(request), calls().limits));
}

void StreamScoreCall::StartWrite(v1::StreamTranslateResponse message) {
  v1::StreamScoreResponse out;
  out.set_request_id(message.request_id());
  if (!message.request_id().empty()) out.set_model(message.translation().model());
  *out.mutable_score() = BuildPairScore(std::move(*message.mutable_translation()));
  Write(out);
}

}  // namespace dragoman::server
