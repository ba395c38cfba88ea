// The messages between host and batch about one step: a command in, an output back, in memory that
// both see (pinned memory; for a batch on another thread, plain memory).
//
// One side has a mailbox at a time: the host fills the command before the step is enqueued, the
// step reads it and writes the output, the host reads that after the step's end. Two mailboxes take
// turns, and a step uses the one that its number selects, so that the host reads the output of step
// n while step n + 1 runs.
//
// The host allots slots, lanes and the words of rules. They are free again once the end of their
// segment was delivered, or with the command that cancels it: a slot may be cancelled and given to
// another segment by one command. What steps before that command deliver of such a slot is the old
// segment's.
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
  int32_t max_rows = 0;  // of this step: its bucket; at least the widest beam of any slot
  PlanRules rules;
  int32_t cancelled = 0;   // entries of StepMailbox::cancelled
  int32_t admissions = 0;  // ... of StepMailbox::admissions
};

// A segment for a free slot. It begins as soon as the rule of pages allows (plan.h), in the order
// of the admissions. Its words: lanes [options.beam], cross pages [cross_pages], its rules as an
// image (rules_image.h) that is copied to BatchTables::rules + rules_begin.
// REQUIRES: all its pages at worst (WorstCasePages) are no more than there are; the beams of all
// segments in slots whose rows are materialized are together at most BatchLimits::materialized_rows, unless
// that is max_rows.
struct AdmitCommand {
  int32_t slot = 0;
  int32_t source_length = 0;
  int32_t cross_pages = 0;
  int32_t words_begin = 0;  // in StepMailbox::command_words
  int32_t rules_begin = 0;
  int32_t rules_words = 0;
  bool wants_partials = false;
  SearchOptions options;
};

struct StepOutput {
  int64_t step = 0;           // number of the step, from 0
  int32_t rows = 0;           // that ran
  int32_t slots = 0;          // that ran
  int32_t running = 0;        // slots that go on
  int32_t waiting = 0;        // slots that have not begun, for want of pages
  int32_t undelivered = 0;    // slots whose end is still to be reported, for want of room here
  int32_t expected_rows = 0;  // that those that run or wait are going to need (ExpectedRows)
  int32_t self_pages_used = 0;
  int32_t deliveries = 0;  // entries of StepMailbox::deliveries
};

enum class DeliveryKind : uint8_t {
  kSettled,    // tokens that have become settled since the last time: words [words]
  kDone,       // `hypotheses` results, best first (samples: as drawn): see DeliveredHypothesis
  kBadNumber,  // a logit was NaN
};

struct Delivery {
  int32_t slot = 0;
  DeliveryKind kind = DeliveryKind::kSettled;
  int32_t hypotheses = 0;
  int32_t words_begin = 0;  // in StepMailbox::output_words
  int32_t words = 0;
};

// The head of a delivered hypothesis. There follow: tokens [length], log-probs [length], and, with
// SearchOptions::align, source positions [length + 1]; one word each.
struct HypothesisHeader {
  float score = 0;
  float log_prob = 0;
  int32_t length = 0;  // real tokens in its lineage, the last one not among them
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

// A view of one in the output.
struct DeliveredHypothesis {
  HypothesisHeader header;
  const int32_t* tokens = nullptr;     // [header.length]
  const int32_t* log_probs = nullptr;  // [header.length] bits of floats: LogProb(i)
  const int32_t* aligned = nullptr;    // [header.length + 1]; nullptr without `align`

  float LogProb(int32_t i) const {
    float x = 0;
    std::memcpy(&x, log_probs + i, sizeof(x));
    return x;
  }
};

// The hypothesis that begins at `words`; `words` goes on to the next one.
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
  int32_t* cancelled = nullptr;        // [max_rows] slots that are not reported as ended in any
                                       // output that the host has read; each once
  AdmitCommand* admissions = nullptr;  // [max_rows]
  int32_t* command_words = nullptr;    // [command_capacity]
  StepOutput* output = nullptr;
  Delivery* deliveries = nullptr;   // [max_rows]
  int32_t* output_words = nullptr;  // [output_capacity]; what does not fit comes with a later step
  int32_t command_capacity = 0;
  int32_t output_capacity = 0;  // at least the largest result of one slot
};

}  // namespace dragoman::kernels
