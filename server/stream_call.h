// StreamTranslate: sends each segment as it finishes.
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <atomic>
#include <memory>

#include "dragoman/v1/translation.pb.h"
#include "server/response_builder.h"
#include "server/stream_writer.h"
#include "server/translation_call.h"

namespace dragoman {

class StreamCall final : public grpc::ServerWriteReactor<grpc::ByteBuffer>,
                         public TranslationCall,
                         public StreamTransport {
 public:
  // The reactor for gRPC. `rpc` is gRPC's and lives until OnDone.
  static grpc::ServerWriteReactor<grpc::ByteBuffer>* Start(const ServiceContext* service,
                                                           grpc::CallbackServerContext* rpc,
                                                           const grpc::ByteBuffer& request);

 private:
  StreamCall(const ServiceContext* service, grpc::CallbackServerContext* rpc);

  void HandleSegment(SegmentUpdate update) override;
  void HandleItem(ItemResult result) override;
  void HandleJobDone(const absl::Status& status, const JobTimings& timings) override;
  void End(absl::Status status) override { writer_->Abort(std::move(status)); }

  // The transport of writer_.
  void StartWrite(v1::StreamTranslateResponse message) override;
  void Finish(const absl::Status& status) override;
  void Break() override { rpc()->TryCancel(); }

  void OnWriteDone(bool ok) override;
  void OnCancel() override { HandleCancel(); }
  void OnDone() override;

  std::shared_ptr<StreamWriter> writer_;  // shared with its timers, which hold it weakly

  // Touched by the engine's calls only, which do not overlap.
  ItemOutcomes outcomes_;

  // By StartWrite and OnWriteDone, which take turns.
  grpc::ByteBuffer buffer_;
  bool first_ = true;
  Nanos write_started_ = 0;

  std::shared_ptr<StreamCall> self_;  // gRPC's share, until OnDone
};

}  // namespace dragoman
