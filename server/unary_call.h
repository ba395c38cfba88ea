// Translate: collects the items of a job and answers once.
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <atomic>
#include <memory>

#include "dragoman/v1/translation.pb.h"
#include "server/response_builder.h"
#include "server/translation_call.h"

namespace dragoman {

class UnaryCall final : public grpc::ServerUnaryReactor, public TranslationCall {
 public:
  // The reactor for gRPC. `rpc`, `request` and `response` are gRPC's and live until OnDone.
  static grpc::ServerUnaryReactor* Start(const ServiceContext* service,
                                         grpc::CallbackServerContext* rpc,
                                         const grpc::ByteBuffer& request,
                                         grpc::ByteBuffer* response);

 private:
  UnaryCall(const ServiceContext* service, grpc::CallbackServerContext* rpc,
            grpc::ByteBuffer* response)
      : TranslationCall(service, rpc, RpcMethod::kTranslate), response_(response) {}

  void HandleSegment(SegmentUpdate /*update*/) override {}
  void HandleItem(ItemResult result) override;
  void HandleJobDone(const absl::Status& status, const JobTimings& timings) override;
  void End(absl::Status status) override;
  void OnCancel() override { HandleCancel(); }
  void OnDone() override;

  grpc::ByteBuffer* const response_;

  // Touched by the engine's calls only, which do not overlap.
  v1::TranslateResponse message_;
  ItemOutcomes outcomes_;

  // The first to set it calls Finish; nobody touches gRPC's objects after that.
  std::atomic<bool> ended_{false};
  Nanos sent_at_ = 0;

  std::shared_ptr<UnaryCall> self_;  // gRPC's share, until OnDone
};

}  // namespace dragoman
