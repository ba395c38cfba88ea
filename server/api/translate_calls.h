// The transports of translations over gRPC: Translate and StreamTranslate, and of jobs with given
// translations: Score and StreamScore.
//
// gRPC owns the calls until OnDone (call_reactor.h).
#pragma once

#include <google/protobuf/message_lite.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <memory>
#include <string>
#include <utility>

#include "dragoman/v1/translation.pb.h"
#include "server/api/call_reactor.h"
#include "server/call/stream_translation.h"
#include "server/call/unary_translation.h"

namespace dragoman::server {

// A translation with one answer. A class for another API overrides HandleRequest and SetAnswer.
class UnaryCall : public CallReactor, public UnaryTransport {
 public:
  UnaryCall(const ServiceContext* service, grpc::CallbackServerContext* rpc)
      : UnaryCall(service, rpc, Api::kDragoman, "dragoman.v1.TranslationService/Translate") {}

 protected:
  // `route` is "SERVICE/METHOD".
  UnaryCall(const ServiceContext* service, grpc::CallbackServerContext* rpc, Api api,
            std::string route, RpcMethod method = RpcMethod::kTranslate);

  void HandleRequest(const grpc::ByteBuffer& request) override;
  // Called by call(). Calls Keep.
  absl::Status SetAnswer(const v1::TranslateResponse& answer) override { return Keep(answer); }

  UnaryTranslation& call() { return *call_; }
  // Keeps the message that Finish sends.
  absl::Status Keep(const google::protobuf::MessageLite& message);

 private:
  void HandleNoRequest(absl::Status status) override { call_->HandleNoRequest(std::move(status)); }
  void HandleCancel() override { IsDeadline() ? call_->Expire() : call_->Cancel(); }
  void HandleDone() override { call_->OnSent(); }

  void AnnounceRequestId(const std::string& request_id) override { SetRequestId(request_id); }
  void Finish(const absl::Status& status) override;

  const std::shared_ptr<UnaryTranslation> call_;  // shared with the engine
  grpc::ByteBuffer response_;
};

// A translation that is answered with a stream. StreamScoreCall overrides HandleRequest and
// StartWrite.
class StreamCall : public CallReactor, public StreamTransport {
 public:
  StreamCall(const ServiceContext* service, grpc::CallbackServerContext* rpc)
      : StreamCall(service, rpc, RpcMethod::kStreamTranslate,
                   "dragoman.v1.TranslationService/StreamTranslate") {}

 protected:
  StreamCall(const ServiceContext* service, grpc::CallbackServerContext* rpc, RpcMethod method,
             std::string route);

  void HandleRequest(const grpc::ByteBuffer& request) override;
  void StartWrite(v1::StreamTranslateResponse message) override;

  StreamTranslation& call() { return *call_; }
  // Writes a message of the stream.
  void Write(const google::protobuf::MessageLite& message);

 private:
  void HandleNoRequest(absl::Status status) override { call_->HandleNoRequest(std::move(status)); }
  void HandleCancel() override { IsDeadline() ? call_->Expire() : call_->Cancel(); }
  void OnWriteDone(bool ok) override { call_->OnWriteDone(ok); }

  // call_ calls these methods, and StartWrite.
  void AnnounceRequestId(const std::string& request_id) override { SetRequestId(request_id); }
  void Finish(const absl::Status& status) override { FinishCall(CallReactor::EndStatus(status)); }
  void Break() override { rpc()->TryCancel(); }

  const std::shared_ptr<StreamTranslation> call_;  // shared with the engine
  grpc::ByteBuffer buffer_;                        // the message that is being written
};

class ScoreCall final : public UnaryCall {
 public:
  ScoreCall(const ServiceContext* service, grpc::CallbackServerContext* rpc)
      : UnaryCall(service, rpc, Api::kDragoman, "dragoman.v1.TranslationService/Score",
                  RpcMethod::kScore) {}

 private:
  void HandleRequest(const grpc::ByteBuffer& request) override;
  absl::Status SetAnswer(const v1::TranslateResponse& answer) override;
};

class StreamScoreCall final : public StreamCall {
 public:
  StreamScoreCall(const ServiceContext* service, grpc::CallbackServerContext* rpc)
      : StreamCall(service, rpc, RpcMethod::kStreamScore,
                   "dragoman.v1.TranslationService/StreamScore") {}

 private:
  void HandleRequest(const grpc::ByteBuffer& request) override;
  void StartWrite(v1::StreamTranslateResponse message) override;
};

}  // namespace dragoman::server
