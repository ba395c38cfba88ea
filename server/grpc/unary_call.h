// Translate: collects the items of a job and answers once.
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <atomic>

#include "dragoman/v1/translation.pb.h"
#include "server/call/response_builder.h"
#include "server/grpc/translation_call.h"

namespace dragoman {

class UnaryCall final : public TranslationCall {
 public:
  UnaryCall(const ServiceContext* service, grpc::CallbackServerContext* rpc)
      : TranslationCall(service, rpc, RpcMethod::kTranslate) {}

 private:
  void HandleSegment(SegmentUpdate /*update*/) override {}
  void HandleItem(ItemResult result) override;
  void HandleJobDone(const absl::Status& status, const JobTimings& timings) override;
  void End(absl::Status status) override;
  void HandleDone() override;

  grpc::ByteBuffer response_;

  // Touched by the engine's calls only, which do not overlap.
  v1::TranslateResponse message_;
  ItemOutcomes outcomes_;

  // The first to set it finishes; nobody touches gRPC's objects after that.
  std::atomic<bool> ended_{false};
  Nanos sent_at_ = 0;
};

}  // namespace dragoman
