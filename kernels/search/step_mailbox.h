// The messages between the host and the batch about one step: a command and an output. They are in
// memory that both can access: pinned memory or, for a batch on another host thread, plain memory.
//
// The host writes the command before it enqueues the step. The step reads the command and writes
// the output. The host reads the output after the step has ended. So only one side uses a mailbox
// at a time. There are two mailboxes, selected by the step's number, so that the host can read the
// output of step n while step n + 1 runs.
//
// The host allots slots, lanes and the words of BatchTables::rules to segments. It may allot them
// again once it has read the delivery that reports the segment's end. The command that cancels a
// segment may already give them to another segment. Deliveries of the slot by earlier steps belong
// to the old segment.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/base/host_device.h"
#include "kernels/search/options.h"
#include "kernels/search/plan.h"
#include "kernels/search/slot.h"

namespace dragoman::kernels {

inline constexpr int kStepMailboxes = 2;

struct StepCommand {
  // Limit of this step's rows; at least the widest beam of any slot.
  int32_t max_rows = 0;
  PlanRules rules;
  int32_t cancelled = 0;   // number of entries in StepMailbox::cancelled
  int32_t admissions = 0;  // number of entries in StepMailbox::admissions
};

// Admits a segment to a free slot. Segments begin in the order of admission, as soon as the rule of
// pages allows (plan.h). Its data begins at command_words[words_begin]: the numbers of its lanes
// (options.beam words), the numbers of the pages of its cross-attention K/V (cross_pages words),
// and the image of its rules (rules_words words; rules_image.h). The step copies the image to
// BatchTables::rules + rules_begin. REQUIRES: the segment's WorstCasePages are at most the pages of
// the batch. The beams of all segments in slots whose rows need materialized logits sum to at most
// BatchLimits::materialized_rows, unless that is max_rows.
struct AdmitCommand {
  int32_t slot = 0;
  int32_t source_length = 0;
  int32_t cross_pages = 0;
  int32_t words_begin = 0;  // index in StepMailbox::command_words
  int32_t rules_begin = 0;
  int32_t rules_words = 0;
  bool wants_partials = false;
  SearchOptions options;
};

struct StepOutput {
  int64_t step = 0;     // number of the step, from 0
  int32_t rows = 0;     // number of rows that ran
  int32_t slots = 0;    // number of slots that ran
  int32_t running = 0;  // number of slots that go on
  int32_t waiting = 0;  // number of slots that have not begun because pages are lacking
  // Number of slots whose end is not reported yet because the output had no room.
  int32_t undelivered = 0;
  // Number of rows that running and waiting slots are expected to need (ExpectedRows).
  int32_t expected_rows = 0;
  int32_t self_pages_used = 0;
  int32_t deliveries = 0;  // number of entries in StepMailbox::deliveries
};

enum class DeliveryKind : uint8_t {
  kSettled,  // the words are newly settled tokens (partials.h)
  // The slot's search has ended. The words contain its results, as many as Delivery::hypotheses
  // says. The best result comes first; with sampling, the first draw. ReadHypothesis reads them.
  kDone,
  kBadNumber,  // a logit was NaN or +inf
};

struct Delivery {
  int32_t slot = 0;
  DeliveryKind kind = DeliveryKind::kSettled;
  int32_t hypotheses = 0;   // number of results; 0 unless `kind` is kDone
  int32_t words_begin = 0;  // index in StepMailbox::output_words
  int32_t words = 0;
};

// The head of a delivered hypothesis. After it come `length` tokens, `length` log-probs and, with
// SearchOptions::align, length + 1 source positions. Each takes one word.
struct HypothesisHeader {
  float score = 0;
  float log_prob = 0;
  int32_t length = 0;  // number of real tokens in its lineage, without last_token
  int32_t last_token = 0;
  float last_log_prob = 0;
  int32_t unmet = 0;
  static constexpr int32_t kWords = 6;
};

DRAGOMAN_HD inline int32_t HypothesisWords(int32_t length, bool align) {
  return HypothesisHeader::kWords + 2 * length + (align ? length + 1 : 0);
}

DRAGOMAN_HD inline int32_t FloatBits(float x) {
  int32_t bits = 0;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}

struct DeliveredHypothesis {
  HypothesisHeader header;
  const int32_t* tokens = nullptr;     // [header.length]
  const int32_t* log_probs = nullptr;  // [header.length] bits of floats; LogProb(i) reads one
  const int32_t* aligned = nullptr;    // [header.length + 1]; nullptr without `align`

  float LogProb(int32_t i) const {
    float x = 0;
    std::memcpy(&x, log_probs + i, sizeof(x));
    return x;
  }
};

// Returns the hypothesis that begins at `words` and sets `words` to the end of it.
inline DeliveredHypothesis ReadHypothesis(const int32_t*& words, bool align) {
  DeliveredHypothesis h;
  std::memcpy(static_cast<void*>(&h.header), words, sizeof(h.header));
  h.tokens = words + HypothesisHeader::kWords;
  h.log_probs = h.tokens + h.header.length;
  if (align) h.aligned = h.log_probs + h.header.length;
  words += HypothesisWords(h.header.length, align);
  return h;
}

struct StepMailbox {
  StepCommand* command = nullptr;
  // [max_rows] the slots to cancel, each once. REQUIRES: no output that the host has read reports
  // the slot as ended.
  int32_t* cancelled = nullptr;
  AdmitCommand* admissions = nullptr;  // [max_rows]
  int32_t* command_words = nullptr;    // [command_capacity]
  StepOutput* output = nullptr;
  Delivery* deliveries = nullptr;  // [max_rows]
  // [output_capacity] the words of the deliveries. A delivery that does not fit is made by a later
  // step.
  int32_t* output_words = nullptr;
  int32_t command_capacity = 0;
  int32_t output_capacity = 0;  // at least the words of the largest result of one slot
};

}  // namespace dragoman::kernels
