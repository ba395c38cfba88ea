// The running batch of a worker. Segments enter slots between steps and leave them at their end. A
// step extends the live segments by one token.
//
// DecodingBatch makes a complete step in a call (decoding_batch.h). DeviceBatch starts a step and
// reports the step before (device_batch.h). The decode loop is the same for both.
//
// Owned and called by one decode thread. A step allocates no memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/decode/kv_memory.h"
#include "kernels/search/options.h"
#include "kernels/search/plan.h"
#include "kernels/search/row.h"
#include "kernels/search/slot.h"

namespace dragoman::engine {

struct BatchConfig {
  int max_rows = 0;
  int lanes = 0;          // hypotheses in slots, >= max_rows; 0: 8 * max_rows
  int max_positions = 0;  // most input positions of a hypothesis: max_tokens + 1
  int vocabulary = 0;     // of the target
  int32_t start_token = 0;

  // A beam of 50 that pruning keeps at 8 rows needs 50 lanes. With fewer, rows would be idle.
  int lane_count() const { return lanes > 0 ? lanes : 8 * max_rows; }
};

// The data of a segment for its slot.
struct SlotInput {
  kernels::SearchOptions search;
  kernels::SegmentRules rules;  // its tables are borrowed until Release
  int32_t source_length = 0;    // in tokens, 1 .. max_positions
  CrossPages cross;             // owned by the batch until no step reads the pages
  bool wants_partials = false;
  // The ids that the segment may produce, including those that its rules require; empty: all ids.
  // Borrowed until Release. Only for batches on the CPU whose model selects words.
  kernels::IdList words;
};

struct DecodedHypothesis {
  std::vector<int32_t> tokens;         // without start token and EOS
  std::vector<float> token_log_probs;  // of the tokens, then of EOS if it was emitted
  std::vector<int32_t> aligned;  // source position of each log-prob; with SearchOptions::align
  float score = 0;
  float log_prob = 0;
  kernels::FinishReason reason = kernels::FinishReason::kEos;
};

// Ends a hypothesis: adds its last token (of EOS only the log-prob) and sets the reason. `h` must
// contain the tokens before that.
inline void EndHypothesis(const kernels::SearchOptions& search, int32_t last_token,
                          float last_log_prob, bool unmet, DecodedHypothesis* h) {
  if (last_token != search.eos) h->tokens.push_back(last_token);
  h->token_log_probs.push_back(last_log_prob);
  h->reason = kernels::FinishReason::kEos;
  if (unmet) {
    h->reason = kernels::FinishReason::kConstraintsUnmet;
  } else if (static_cast<int32_t>(h->tokens.size()) >= search.max_tokens &&
             (last_token == search.eos || !search.Ends(last_token))) {
    h->reason = kernels::FinishReason::kLength;
  }
}

struct BatchEvent {
  enum class Kind : uint8_t {
    kSettled,    // more of the translation is settled; see Settled
    kDone,       // the search has ended; see Result
    kBadNumber,  // a logit was NaN or +inf; only this segment fails
  };
  int slot = 0;
  Kind kind = Kind::kSettled;
};

class Batch {
 public:
  virtual ~Batch() = default;

  // Reports whether there are slots, lanes, pages and tables for a segment. An empty batch has room
  // for every segment that the engine accepts.
  virtual bool HasRoomFor(const kernels::SearchOptions& search,
                          const kernels::SegmentRules& rules) const = 0;

  // The same for the memory of a segment's words (SlotInput::words).
  virtual bool HasRoomForWords(int32_t /*words*/) const { return true; }

  // Puts a segment into a slot and returns the slot's number. REQUIRES: HasRoomFor and
  // HasRoomForWords returned true after the previous Admit.
  virtual int Admit(SlotInput input) = 0;

  // Removes the slot's segment, which is done or no longer wanted. No event of it follows, even if
  // another segment gets this number.
  virtual void Release(int slot) = 0;

  struct StepReport {
    int rows = 0;  // that ran in the reported step
    int slots = 0;
    std::span<const BatchEvent> events;  // valid until the next Step
  };
  // Makes one step under these rules. An error is the model's or the device's, and final: only
  // Release may follow. REQUIRES: busy().
  virtual absl::StatusOr<StepReport> Step(const kernels::PlanRules& rules) = 0;

  // Returns the n-best list of a slot, best first, or samples in the order of their numbers; empty:
  // no output. REQUIRES: the latest report has kDone for the slot, which was not released since.
  virtual std::vector<DecodedHypothesis> Result(int slot) const = 0;

  // Returns all settled tokens of a slot. REQUIRES: the latest report has kSettled for the slot.
  virtual std::vector<int32_t> Settled(int slot) const = 0;

  // Reports whether a step is due, because a segment is in a slot or is leaving one.
  virtual bool busy() const = 0;

  // Returns the rows that the slots need next: their live rows, or at the beginning their beam.
  virtual int64_t ExpectedRows() const = 0;

  // Returns the cost of these rows (SearchOptions::row_cost), or somewhat more.
  virtual int64_t ExpectedLoad() const = 0;

  // Returns the target tokens of a slot's longest hypothesis; for a device, an upper bound.
  virtual int DecodedTokens(int slot) const = 0;

  virtual int32_t self_pages_used() const = 0;

  // The memory of self and cross pages, if it is the host's (page_memory.h). In this order: ends a
  // period; gives idle memory back and reports whether some is left; returns the resident bytes.
  virtual void EndMemoryPeriod() {}
  virtual bool GiveBackIdleMemory(int64_t /*most_bytes*/) { return false; }
  virtual int64_t resident_page_bytes() const { return 0; }

  // These never change. Any thread may call them.
  virtual int max_rows() const = 0;
  virtual int64_t workspace_bytes() const = 0;
};

}  // namespace dragoman::engine
