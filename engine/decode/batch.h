// The running batch of a worker. A segment enters a slot between steps and leaves it when its
// search has ended. A step extends the hypotheses of the segments in slots by one token.
//
// There are two implementations, which the decode loop treats alike. In DecodingBatch
// (decoding_batch.h), a call of Step makes a complete step. In DeviceBatch (device_batch.h), a call
// of Step starts a step and reports the previous one.
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
  int lanes = 0;          // the largest number of hypotheses in slots, >= max_rows; 0: 8 * max_rows
  int max_positions = 0;  // the largest number of input positions of a hypothesis, max_tokens + 1
  int vocabulary = 0;     // the size of the target vocabulary
  int32_t start_token = 0;

  // Returns the number of lanes. There are more lanes than rows, because a slot reserves its beam's
  // number of lanes, even if pruning leaves fewer live hypotheses. For example, a slot with a beam
  // of 50 may be pruned to 8 live hypotheses. With only max_rows lanes, most rows of a step would
  // then be unused.
  int lane_count() const { return lanes > 0 ? lanes : 8 * max_rows; }
};

// The data of a segment for its slot.
struct SlotInput {
  kernels::SearchOptions search;
  kernels::SegmentRules rules;  // borrows its tables until Release
  int32_t source_length = 0;    // in tokens, 1 .. BatchConfig::max_positions
  CrossPages cross;             // the batch owns these pages until no step reads them
  bool wants_partials = false;
  // The only target tokens that the segment may produce, from a lexical shortlist. Includes the
  // tokens that `rules` require. Empty: all tokens. Borrowed until Release. Must be empty unless
  // the model was created with `selects_words` (cpu_model.h).
  kernels::IdList words;
};

struct DecodedHypothesis {
  std::vector<int32_t> tokens;  // without start token and EOS
  // One number for each of `tokens`, then that of EOS if the search emitted EOS.
  std::vector<float> token_log_probs;
  // The aligned source position of each token in token_log_probs. Empty without
  // SearchOptions::align.
  std::vector<int32_t> aligned;
  float score = 0;
  float log_prob = 0;
  kernels::FinishReason reason = kernels::FinishReason::kEos;
};

// Ends a hypothesis: adds its last token and sets the finish reason. If the last token is EOS, adds
// only its log-prob. `unmet` says that the hypothesis lacks required phrases. REQUIRES: `h`
// contains all tokens before the last one.
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
    kSettled,    // more tokens are final; see Settled
    kDone,       // the search has ended; Result returns its hypotheses
    kBadNumber,  // a logit was NaN or +inf; only this segment fails
  };
  int slot = 0;
  Kind kind = Kind::kSettled;
};

class Batch {
 public:
  virtual ~Batch() = default;

  // Reports whether there are a free slot and enough free lanes, pages and table memory for a
  // segment. An empty batch has room for every segment that the engine accepts.
  virtual bool HasRoomFor(const kernels::SearchOptions& search,
                          const kernels::SegmentRules& rules) const = 0;

  // Reports whether there is memory for a segment that may produce only `words` target tokens
  // (SlotInput::words).
  virtual bool HasRoomForWords(int32_t /*words*/) const { return true; }

  // Puts a segment into a slot and returns the slot's number. REQUIRES: HasRoomFor and
  // HasRoomForWords have returned true for this segment, and no other segment was admitted since.
  virtual int Admit(SlotInput input) = 0;

  // Takes the cross pages of a slot (its encoded source) out of the batch, for another search.
  // REQUIRES: the latest report has kDone for the slot, and the slot was not released since.
  virtual CrossPages TakeCross(int slot) = 0;

  // Removes the slot's segment, which has ended or was cancelled. No later event refers to this
  // segment. The slot's number may be used again for another segment.
  virtual void Release(int slot) = 0;

  struct StepReport {
    int rows = 0;                        // the number of hypotheses that the reported step extended
    int slots = 0;                       // the number of slots to which these rows belong
    std::span<const BatchEvent> events;  // valid until the next Step
  };
  // Makes one step under these rules. Returns an error if the model or the device fails. After an
  // error, only Release may be called. REQUIRES: busy().
  virtual absl::StatusOr<StepReport> Step(const kernels::PlanRules& rules) = 0;

  // Returns the n-best list of a slot, best first. With sampling, returns the samples in the order
  // of their numbers. Empty if the search found no output. REQUIRES: the latest report has kDone
  // for the slot, and the slot was not released since.
  virtual std::vector<DecodedHypothesis> Result(int slot) const = 0;

  // Returns all settled tokens of a slot: the beginning of its translation that no later step can
  // change. REQUIRES: the latest report has kSettled for the slot.
  virtual std::vector<int32_t> Settled(int slot) const = 0;

  // Reports whether Step must be called, because a segment is in a slot or is about to leave one.
  virtual bool busy() const = 0;

  // Returns the number of rows that the next step is expected to have. A slot whose search has just
  // begun is expected to have as many rows as its beam. Any other slot is expected to keep its
  // number of live hypotheses.
  virtual int64_t ExpectedRows() const = 0;

  // Returns the sum of SearchOptions::row_cost over the rows that ExpectedRows counts, or somewhat
  // more.
  virtual int64_t ExpectedLoad() const = 0;

  // Returns the number of target tokens in each live hypothesis of a slot. On a GPU the result is
  // an upper bound.
  virtual int DecodedTokens(int slot) const = 0;

  virtual int32_t self_pages_used() const = 0;

  // The next three functions manage the physical memory of K/V pages on the CPU (page_memory.h).
  // Marks as idle the memory that was not used since the previous call.
  virtual void EndMemoryPeriod() {}
  // Returns idle memory to the system: at most about `most_bytes` of self pages, and as much of
  // cross pages. Reports whether idle memory is left.
  virtual bool GiveBackIdleMemory(int64_t /*most_bytes*/) { return false; }
  // Returns the number of bytes of pages that take physical memory.
  virtual int64_t resident_page_bytes() const { return 0; }
  // The results of max_rows and workspace_bytes never change. Any thread may call these two.
  virtual int max_rows() const = 0;
  virtual int64_t workspace_bytes() const = 0;
};

}  // namespace dragoman::engine
