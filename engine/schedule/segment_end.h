// The three ways to end a segment: Drop, Fail and Deliver. Each first releases the segment's cross
// pages, unless the batch owns them because the segment is in a slot. Drop and Fail count the end
// of the segment in the ledger. Deliver does not: the segment's owner counts the end later.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "engine/schedule/ledger.h"
#include "engine/schedule/segment.h"

namespace dragoman::engine {

// The objects that count the ends of segments. Borrowed.
struct SegmentAccounting {
  Ledger* ledger = nullptr;
  EngineObserver* observer = nullptr;
};

// Reports whether the segment must be dropped, because its job has ended or its deadline has
// passed. If the deadline has passed, calls OnDeadline of its owner.
inline bool MustDrop(const Segment& segment, Nanos now) {
  if (segment.owner->abandoned().has_value()) return true;
  if (now < segment.deadline) return false;
  segment.owner->OnDeadline();
  return true;
}

// Ends a segment whose job has ended early, in the stage `stage`. `wasted_tokens` is the number of
// target tokens that were decoded for it.
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

// Passes the segment and its hypotheses to the owner. The owner counts the outcome in the ledger
// when the text is written.
inline void Deliver(std::unique_ptr<Segment> segment, std::vector<DecodedHypothesis> hypotheses) {
  segment->cross.Release();
  const std::shared_ptr<SegmentOwner> owner = segment->owner;
  owner->OnDecoded(std::move(segment), std::move(hypotheses));
}

inline absl::Status WorkerStoppedError() {
  return absl::InternalError("the worker has stopped after an error of the model");
}

}  // namespace dragoman::engine
