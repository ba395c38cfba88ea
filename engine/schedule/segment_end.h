// The ways in which a holder parts with a segment before or after its time: dropped because its job
// has ended, failed, or decoded. Each keeps the accounts, gives cross-attention pages back first
// (in a slot they are the batch's), and keeps the owner alive through the call.
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

// Whether the segment is to be dropped; tells its job of a deadline that has passed.
inline bool MustDrop(const Segment& segment, Nanos now) {
  if (segment.owner->abandoned().has_value()) return true;
  if (now < segment.deadline) return false;
  segment.owner->OnDeadline();
  return true;
}

// `wasted_tokens` were decoded for nothing.
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

// The outcome is counted when the text is delivered, by the owner.
inline void Deliver(std::unique_ptr<Segment> segment, std::vector<DecodedHypothesis> hypotheses) {
  segment->cross.Release();
  const std::shared_ptr<SegmentOwner> owner = segment->owner;
  owner->OnDecoded(std::move(segment), std::move(hypotheses));
}

inline absl::Status WorkerStoppedError() {
  return absl::InternalError("the worker has stopped after an error of the model");
}

}  // namespace dragoman::engine
