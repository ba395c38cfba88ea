// A translation with one answer: collects all items of its job.
#pragma once

#include <atomic>
#include <utility>

#include "dragoman/v1/translation.pb.h"
#include "server/call/translation_call.h"

namespace dragoman::server {

class UnaryTranslation final : public TranslationCall {
 public:
  // The same contract as TranslationCall's constructor.
  UnaryTranslation(const CallContext* context, RpcMethod method, CallHead head,
                   UnaryTransport* transport)
      : TranslationCall(context, method, std::move(head), transport), transport_(transport) {}

  // Records how long sending took. The transport calls this once, after Finish and sending.
  void OnSent();

 private:
  void OnSegment(engine::SegmentUpdate /*update*/) override {}
  void OnItem(engine::ItemResult result) override;
  void OnDone(const absl::Status& status, const engine::JobTimings& timings) override;
  void End(absl::Status status) override;

  UnaryTransport* const transport_;

  // Used only by the engine's calls, which do not overlap.
  v1::TranslateResponse answer_;

  // The first thread that sets `ended_` concludes the call. After that, no other thread uses the
  // transport.
  std::atomic<bool> ended_{false};
  engine::Nanos sent_at_ = 0;
};

}  // namespace dragoman::server
