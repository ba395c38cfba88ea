// The running batch of a worker, as the decode loop sees it: segments enter slots between two steps
// and leave them when done, and every step moves all that are live.
//
// Two kinds: DecodingBatch makes a step while it is asked (decoding_batch.h); DeviceBatch starts a
// step and reports the one before (device_batch.h). The loop is the same for both.
//
// Owned and called by one decode thread. A step allocates nothing.
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
  int lanes = 0;          // hypotheses held at a time, >= max_rows; 0: eight times max_rows
  int max_positions = 0;  // input positions of a hypothesis at most: max_tokens + 1
  int vocabulary = 0;     // of the target
  int32_t start_token = 0;

  // A beam of 50 that pruning keeps at 8 rows still holds 50 lanes: with fewer lanes than these,
  // rows would stay idle.
  int lane_count() const { return lanes > 0 ? lanes : 8 * max_rows; }
};

// The data that a segment brings into its slot.
struct SlotInput {
  kernels::SearchOptions search;
  kernels::SegmentRules rules;  // its tables are borrowed until Release
  int32_t source_length = 0;    // in tokens, 1 .. max_positions
  CrossPages cross;             // the batch's from now on, until no step reads them any more
  bool wants_partials = false;
  // The only ids that the segment may produce, with all that its rules ask for; borrowed until
  // Release. None: all ids. Only for batches on the CPU whose model selects words.
  kernels::IdList words;
};

struct DecodedHypothesis {
  std::vector<int32_t> tokens;         // without start token and EOS
  std::vector<float> token_log_probs;  // of the tokens, then of EOS if it was emitted
  std::vector<int32_t> aligned;  // source position of each of these; with SearchOptions::align
  float score = 0;
  float log_prob = 0;
  kernels::FinishReason reason = kernels::FinishReason::kEos;
};

// Ends a hypothesis of a search: adds its last token (of EOS only its log-prob) and sets the
// reason. The tokens before it must be in `h` already.
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
    kSettled,    // more of the translation is settled: Settled
    kDone,       // the search is over: Result
    kBadNumber,  // a logit was NaN or +inf: the segment fails alone
  };
  int slot = 0;
  Kind kind = Kind::kSettled;
};

class Batch {
 public:
  virtual ~Batch() = default;

  // Whether there is room for a segment, as far as slots, lanes, pages and tables go. An empty
  // batch has room for every segment that its backend's limits let the engine accept.
  virtual bool HasRoomFor(const kernels::SearchOptions& search,
                          const kernels::SegmentRules& rules) const = 0;

  // The same for the memory that so many words of a segment take (SlotInput::words).
  virtual bool HasRoomForWords(int32_t /*words*/) const { return true; }

  // Returns the slot's number. REQUIRES: HasRoomFor and HasRoomForWords returned true, and nothing
  // was admitted since.
  virtual int Admit(SlotInput input) = 0;

  // The slot's segment leaves: it is done, or no longer wanted. No event of it follows, and
  // the next segment that gets this number has nothing to do with it.
  virtual void Release(int slot) = 0;

  struct StepReport {
    int rows = 0;  // that ran, in the step that is reported
    int slots = 0;
    std::span<const BatchEvent> events;  // until the next Step
  };
  // Makes one step under these rules, of everything that was admitted and not released. An error is
  // the model's or the device's, and final: only Release may follow. REQUIRES: busy().
  virtual absl::StatusOr<StepReport> Step(const kernels::PlanRules& rules) = 0;

  // The n-best of a slot that the latest report called done, best first (samples: in the order of
  // their numbers); empty: no output. Until Release or the next Step.
  virtual std::vector<DecodedHypothesis> Result(int slot) const = 0;

  // The settled tokens of a slot that the latest report called so: the whole prefix.
  virtual std::vector<int32_t> Settled(int slot) const = 0;

  // Whether a step is due: something is in a slot, or on its way out of one.
  virtual bool busy() const = 0;

  // The rows that the segments in slots will need: those they have, and the beam of one that has
  // just begun. Rows that pruning and ended hypotheses leave are free for other segments.
  virtual int64_t ExpectedRows() const = 0;

  // The same, each row counted with its cost (SearchOptions::row_cost); or somewhat more.
  virtual int64_t ExpectedLoad() const = 0;

  // Target tokens that a slot's longest hypothesis has (a device's: as many at most).
  virtual int DecodedTokens(int slot) const = 0;

  virtual int32_t self_pages_used() const = 0;

  // The memory of its pages and of the sources' pages, where it is the host's and comes with use
  // (page_memory.h). In order: ends a period; gives idle memory back and returns whether some is
  // left; the bytes that are resident.
  virtual void EndMemoryPeriod() {}
  virtual bool GiveBackIdleMemory(int64_t /*most_bytes*/) { return false; }
  virtual int64_t resident_page_bytes() const { return 0; }

  // Never change; may be asked by any thread.
  virtual int max_rows() const = 0;
  virtual int64_t workspace_bytes() const = 0;
};

}  // namespace dragoman::engine
