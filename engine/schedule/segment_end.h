// The three ways to end a segment: Drop, Fail and Deliver. Each first releases the cross-attention
// pages (in a slot the batch owns them), and keeps the owner alive. Drop and Fail count the end.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "engine/schedule/ledger.h"
#include "engine/schedule/segment.h"

namespace dragoman::engine {

// Borrowed.
struct SegmentAccounting {
  Ledger* ledger = nullptr;
  EngineObserver* observer = nullptr;
};

// Reports whether the segment must be dropped. Tells its job if the deadline has passed.
inline bool MustDrop(const Segment& segment, Nanos now) {
  if (segment.owner->abandoned().has_value()) return true;
  if (now < segment.deadline) return false;
  segment.owner->OnDeadline();
  return true;
}

// Ends a segment whose job has ended. `wasted_tokens` of it had been decoded.
inline void Drop(std::unique_ptr<Segment> segment, Stage stage, int64_t wasted_tokens,
                 const SegmentAccounting& accounting) {
  segment->cross.Release();
  const CancelCause cause = segment->owner->abandoned().value_or(CancelCause::kDeadline);
  accounting.ledger->End(segment->running, OutcomeOf(cause));
  accounting.observer->OnSegmentCancelled(stage, cause, wasted_tokens);
}

inline void Fail(std::unique_ptr<Segment> segment, const absl::Status& status,
                 const SegmentAccounting& accounting) {
  segment->cross.Release();
  accounting.ledger->End(segment->running, Outcome::kError);
  const std::shared_ptr<SegmentOwner> owner = segment->owner;
  owner->OnFailed(std::move(segment), status);
}

// Hands the hypotheses to the owner, who counts the outcome when the text is written.
inline void Deliver(std::unique_ptr<Segment> segment, std::vector<DecodedHypothesis> hypotheses) {
  segment->cross.Release();
  const std::shared_ptr<SegmentOwner> owner = segment->owner;
  owner->OnDecoded(std::move(segment), std::move(hypotheses));
}

inline absl::Status WorkerStoppedError() {
  return absl::InternalError("the worker has stopped after an error of the model");
}

}  // namespace dragoman::engine
