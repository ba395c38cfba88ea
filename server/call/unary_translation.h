// A translation that is answered as a whole: collects the items of its job.
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

  // The transport calls this once, after Finish, when the answer is on its way or will never be:
  // counts how long that took.
  void OnSent();

 private:
  void OnSegment(engine::SegmentUpdate /*update*/) override {}
  void OnItem(engine::ItemResult result) override;
  void OnDone(const absl::Status& status, const engine::JobTimings& timings) override;
  void End(absl::Status status) override;

  UnaryTransport* const transport_;

  // Touched by the engine's calls only, which do not overlap.
  v1::TranslateResponse answer_;

  // The thread that sets it first concludes; after that the transport is not touched.
  std::atomic<bool> ended_{false};
  engine::Nanos sent_at_ = 0;
};

}  // namespace dragoman::server
