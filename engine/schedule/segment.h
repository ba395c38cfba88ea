// A segment on its way: one sentence-like piece of a request, from the request queue through the
// encoder into a slot and out again.
//
// A segment has one holder at a time (queue, encoder worker, decode loop), who may change it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "engine/api/engine.h"
#include "engine/api/observer.h"
#include "engine/base/clock.h"
#include "engine/decode/batch.h"
#include "engine/decode/kv_memory.h"
#include "engine/decode/phrase_tables.h"
#include "engine/schedule/policy.h"
#include "kernels/search/options.h"

namespace dragoman::engine {

struct Segment;

// Who is to hear of a segment: the job it belongs to. Thread-safe; called by the worker threads,
// must not block.
class SegmentOwner {
 public:
  virtual ~SegmentOwner() = default;

  // Set once the job has ended early; its segments are dropped wherever they are found.
  virtual std::optional<CancelCause> abandoned() const = 0;

  // A segment of it has entered a slot.
  virtual void OnStarted() = 0;

  // The deadline passed; abandoned() is set when this returns.
  virtual void OnDeadline() = 0;

  // The segment's settled tokens have grown to `tokens` (whole prefix).
  virtual void OnPartial(const Segment& segment, std::span<const int32_t> tokens) = 0;

  // Exactly one of these ends a segment that is not dropped. Empty hypotheses: no output.
  virtual void OnDecoded(std::unique_ptr<Segment> segment,
                         std::vector<DecodedHypothesis> hypotheses) = 0;
  virtual void OnFailed(std::unique_ptr<Segment> segment, const absl::Status& status) = 0;
};

struct Segment {
  std::shared_ptr<SegmentOwner> owner;  // shared: a job lives until its last segment is gone
  int item = 0;                         // place in the job
  int index = 0;                        // place in the item
  std::vector<int32_t> source;          // tokens, EOS included
  kernels::SearchOptions search;
  std::vector<float> divisor;   // [search.max_tokens + 2], see LengthDivisors
  std::vector<int32_t> prefix;  // tokens that the translation must begin with
  std::vector<int32_t> words;   // SlotInput::words
  ConstraintTable constraints;
  std::shared_ptr<const ForbiddenTable> forbidden;  // of all segments of the request; may be null
  std::vector<int32_t> source_ids;                  // SegmentRules::source
  bool wants_partials = false;
  Priority priority = Priority::kNormal;
  uint64_t client = 0;  // ClientNumber of TranslationJob::client
  int share = 1;        // TranslationJob::share
  Nanos deadline = kNoDeadline;

  // Set on the way.
  uint64_t sequence = 0;  // order of arrival, by the request queue
  Nanos queued_at = 0;
  Nanos popped_at = 0;
  Nanos encoded_at = 0;
  Nanos admitted_at = 0;
  Nanos decoded_at = 0;
  bool running = false;
  CrossPages cross;  // the batch's while it is in a slot

  int64_t tokens() const { return static_cast<int64_t>(source.size()); }
  Load load() const { return {1, tokens(), search.beam, int64_t{search.beam} * search.row_cost}; }

  // Views of what this segment owns.
  kernels::SegmentRules Rules() const;
  kernels::IdList Words() const { return {words.data(), static_cast<int32_t>(words.size())}; }
};

// The divisors of the scores for len 0 .. max_tokens + 1, rounded from double. The powers are
// computed here, on the host, for all devices.
std::vector<float> LengthDivisors(int max_tokens, float alpha,
                                  kernels::LengthPenalty penalty = kernels::LengthPenalty::kPower);

}  // namespace dragoman::engine
