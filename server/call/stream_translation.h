// A translation whose answer is a stream of messages. Sends each segment when it is finished.
#pragma once

#include <memory>
#include <utility>

#include "dragoman/v1/translation.pb.h"
#include "server/call/stream_writer.h"
#include "server/call/translation_call.h"

namespace dragoman::server {

class StreamTranslation final : public TranslationCall, public MessageTransport {
 public:
  // The same contract as TranslationCall's constructor.
  StreamTranslation(const CallContext* context, RpcMethod method, CallHead head,
                    StreamTransport* transport);

  // The transport calls this when a write has ended. `ok` is false if the client is gone.
  void OnWriteDone(bool ok);

 private:
  void OnSegment(engine::SegmentUpdate update) override;
  void OnItem(engine::ItemResult result) override;
  void OnDone(const absl::Status& status, const engine::JobTimings& timings) override;
  void End(absl::Status status) override { writer_->Abort(std::move(status)); }

  // These methods are the MessageTransport of writer_.
  void StartWrite(v1::StreamTranslateResponse message) override;
  void Finish(const absl::Status& status) override {
    Conclude(status.ok() ? transport_->EndStatus() : status);
  }
  void Break() override { transport_->Break(); }

  StreamTransport* const transport_;
  const std::shared_ptr<StreamWriter> writer_;  // its timers hold weak references

  // Used only by StartWrite and OnWriteDone, which do not overlap.
  bool first_ = true;
  engine::Nanos write_started_ = 0;
};

}  // namespace dragoman::server
