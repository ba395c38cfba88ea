// StreamTranslate: sends each segment as it finishes.
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <memory>

#include "dragoman/v1/translation.pb.h"
#include "server/call/response_builder.h"
#include "server/call/stream_writer.h"
#include "server/grpc/translation_call.h"

namespace dragoman {

class StreamCall final : public TranslationCall, public StreamTransport {
 public:
  StreamCall(const ServiceContext* service, grpc::CallbackServerContext* rpc);

 private:
  void HandleSegment(SegmentUpdate update) override;
  void HandleItem(ItemResult result) override;
  void HandleJobDone(const absl::Status& status, const JobTimings& timings) override;
  void End(absl::Status status) override { writer_->Abort(std::move(status)); }

  // The transport of writer_.
  void StartWrite(v1::StreamTranslateResponse message) override;
  void Finish(const absl::Status& status) override;
  void Break() override { rpc()->TryCancel(); }

  void OnWriteDone(bool ok) override;

  std::shared_ptr<StreamWriter> writer_;  // shared with its timers, which hold it weakly

  // Touched by the engine's calls only, which do not overlap.
  ItemOutcomes outcomes_;

  // By StartWrite and OnWriteDone, which take turns.
  grpc::ByteBuffer buffer_;
  bool first_ = true;
  Nanos write_started_ = 0;
};

}  // namespace dragoman
