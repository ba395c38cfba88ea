// A segment is a piece of a request, usually a sentence. It moves from the request queue through
// the encoder into a slot of the decoding batch, and then to the detokenizer.
//
// A segment has one holder at a time: a queue, the encoder worker, the decode loop or a task of the
// detokenizer. Only the holder may change it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
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

// The job that a segment belongs to. Thread-safe. Worker threads call it, so it must not block.
class SegmentOwner {
 public:
  virtual ~SegmentOwner() = default;

  // Returns the cause if the job has ended early, else nullopt. Holders drop the segments of a job
  // that has ended early.
  virtual std::optional<CancelCause> abandoned() const = 0;

  // Called when a segment of the job has entered a slot.
  virtual void OnStarted() = 0;

  // Called when the job's deadline has passed. Ends the job, so abandoned() has a value afterwards.
  virtual void OnDeadline() = 0;

  // Called when more tokens of the segment have become final. `tokens` has all its final tokens.
  virtual void OnPartial(const Segment& segment, std::span<const int32_t> tokens) = 0;

  // Called on the decode thread when a search of the segment has ended; `found` has its results.
  // Returns true if the segment must be searched again. The function has then set its next search.
  // The source is the same, so it is not encoded again.
  virtual bool SearchAgain(Segment* /*segment*/, std::span<const DecodedHypothesis> /*found*/) {
    return false;
  }

  // Exactly one of these two functions is called for a segment that is not dropped. OnDecoded is
  // called when the last search has ended; `hypotheses` is empty if it found none. OnFailed is
  // called if the segment failed with `status`.
  virtual void OnDecoded(std::unique_ptr<Segment> segment,
                         std::vector<DecodedHypothesis> hypotheses) = 0;
  virtual void OnFailed(std::unique_ptr<Segment> segment, const absl::Status& status) = 0;
};

struct Segment {
  std::shared_ptr<SegmentOwner> owner;  // shared: a job lives until its last segment has ended
  int item = 0;                         // index of the item in the job
  int index = 0;                        // index of the segment in the item
  std::vector<int32_t> source;          // tokens, EOS included
  kernels::SearchOptions search;
  std::vector<float> divisor;   // search.max_tokens + 2 values of LengthDivisors
  std::vector<int32_t> prefix;  // target tokens with which the translation must begin
  std::vector<int32_t> words;   // becomes SlotInput::words
  ConstraintTable constraints;
  std::shared_ptr<const ForbiddenTable> forbidden;  // shared by segments of a request; may be null
  std::vector<int32_t> source_ids;                  // becomes SegmentRules::source
  bool wants_partials = false;
  bool again = false;  // it was searched before, and has waited its turn once
  Priority priority = Priority::kNormal;
  uint64_t client = 0;  // ClientNumber of TranslationJob::client
  int share = 1;        // TranslationJob::share
  Nanos deadline = kNoDeadline;

  // Set by the holders while the segment moves.
  Nanos queued_at = 0;
  Nanos popped_at = 0;
  Nanos encoded_at = 0;
  Nanos admitted_at = 0;
  Nanos decoded_at = 0;
  bool running = false;  // counted as running in the ledger, because it is or was in a slot
  CrossPages cross;      // owned by the batch while the segment is in a slot

  int64_t tokens() const { return static_cast<int64_t>(source.size()); }
  Load load() const { return {1, tokens(), search.beam, int64_t{search.beam} * search.row_cost}; }

  // The results are views into this segment.
  kernels::SegmentRules Rules() const;
  kernels::IdList Words() const { return {words.data(), static_cast<int32_t>(words.size())}; }
};

// Returns the divisors of length normalization for the lengths 0 .. max_tokens + 1. They are
// computed in double and rounded. The host computes them for all devices, so that all use the same
// bits.
std::vector<float> LengthDivisors(int max_tokens, float alpha,
                                  kernels::LengthPenalty penalty = kernels::LengthPenalty::kPower);

}  // namespace dragoman::engine
