// The host of a batch that a runner executes. It sends segments and cancellations, folds scripted
// logits and reads deliveries. The runner owns the batch's memory, which the host can read.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <random>
#include <string>
#include <vector>

#include "kernels/search/batch_step.h"
#include "tests/engine/support/random_segment.h"
#include "tests/kernels/search/step_runner.h"

namespace dragoman::testing {

// A hypothesis, delivered or in a slot.
struct HarnessHypothesis {
  std::vector<int32_t> tokens;  // before `last_token`
  std::vector<float> log_probs;
  std::vector<int32_t> aligned;
  float score = 0;
  float log_prob = 0;
  int32_t last_token = 0;
  float last_log_prob = 0;
  bool unmet = false;

  bool operator==(const HarnessHypothesis&) const = default;
};

struct HarnessResult {
  bool bad_number = false;
  std::vector<HarnessHypothesis> hypotheses;

  bool operator==(const HarnessResult&) const = default;
};

// A segment for the harness, and its result without a batch.
class HarnessSegment {
 public:
  static constexpr int kVocabulary = 610;  // tokens that a case does not have get logit -inf
  static constexpr int32_t kStartToken = kVocabulary - 1;
  static constexpr int kMaxTokens = 40;
  static constexpr int kMaxCrossPages = 2;

  // Every fourth seed gives a forced prefix of almost all tokens. Every twelfth seed gives one that
  // reaches the second page.
  explicit HarnessSegment(uint64_t seed);

  std::vector<float> Logits(std::span<const int32_t> prefix) const;
  // Returns a scripted alignment.
  uint16_t Aligned(int32_t position) const {
    return static_cast<uint16_t>((position * 7 + source_length) % 8);
  }
  // Returns the result of the beam step on one slot of the host.
  HarnessResult Alone() const;
  int64_t WorstPages() const {
    return kernels::WorstCasePages(segment_.options.beam, segment_.options.max_tokens);
  }
  const kernels::SearchOptions& options() const { return segment_.options; }
  kernels::SegmentRules Rules() const { return segment_.Rules(); }
  std::string ToString() const { return segment_.random_case.ToString(); }

  bool wants_partials = false;
  int32_t source_length = 0;
  int32_t cross_pages = 0;

 private:
  RandomSegment segment_;
  int nan_at_ = -1;  // after this many tokens a logit is NaN
};

struct HarnessConfig {
  int max_rows = 44;
  int lanes = 120;
  int self_pages = 300;
  int output_capacity = 20000;
  int command_capacity = 20000;
  int admissions = 1000;    // maximum per step
  int cancel_percent = 0;   // per step
  bool reads_late = false;  // reads the output of step n after sending the command of step n + 1
  kernels::PlanRules rules;
  unsigned seed = 1;
};

class BatchHarness {
 public:
  BatchHarness(const HarnessConfig& config, std::vector<std::unique_ptr<HarnessSegment>> segments,
               StepRunner* runner);

  // Runs until every segment has ended or was cancelled and the batch is empty.
  void Run();

  struct Outcome {
    bool cancelled = false;
    bool ended = false;
    HarnessResult result;
    std::vector<int32_t> settled;
  };
  const std::vector<Outcome>& outcomes() const { return outcomes_; }
  // The number of rows, over all steps, that were ahead of their slot's length.
  int rows_ahead() const { return rows_ahead_; }
  const std::vector<std::unique_ptr<HarnessSegment>>& segments() const { return segments_; }

  // The report of each step, and a digest of the page tables.
  struct StepRecord {
    int32_t rows, slots, running, waiting, undelivered, expected_rows, pages, deliveries;
    uint64_t page_digest;

    bool operator==(const StepRecord&) const = default;
  };
  const std::vector<StepRecord>& steps() const { return steps_; }

 private:
  struct Mailbox {
    Mailbox(const HarnessConfig& config, std::pmr::memory_resource* memory);

    kernels::StepCommand command;
    std::pmr::vector<int32_t> cancelled, words, output_words;
    std::pmr::vector<kernels::AdmitCommand> admissions;
    kernels::StepOutput output;
    std::pmr::vector<kernels::Delivery> deliveries;
  };
  // The facts that the host knows about a slot.
  struct Occupant {
    int segment = -1;
    int64_t since = 0;  // the step with which the segment was sent
    std::vector<int32_t> lanes;
  };

  void Command(int64_t step);
  bool Admit(Mailbox& mailbox, int64_t step);
  void Model();
  void Read(int64_t step);
  void ReadDelivery(const Mailbox& mailbox, const kernels::Delivery& delivery);
  void Vacate(int slot);
  void Record(const kernels::StepOutput& output);

  const HarnessConfig config_;
  const std::vector<std::unique_ptr<HarnessSegment>> segments_;
  StepRunner* const runner_;
  std::mt19937 random_;

  kernels::BatchTables tables_;
  std::pmr::vector<unsigned char> memory_;
  int32_t rules_words_ = 0;              // per slot: each has a separate region
  std::pmr::vector<Mailbox> mailboxes_;  // [kStepMailboxes]
  kernels::StepMailbox step_mailboxes_[kernels::kStepMailboxes];

  std::vector<Occupant> occupants_;
  std::vector<int> free_slots_;
  std::vector<int32_t> free_lanes_;
  size_t next_ = 0;  // the next segment to send
  int outstanding_ = 0;
  std::pmr::vector<float> logits_;
  std::vector<Outcome> outcomes_;
  std::vector<StepRecord> steps_;
  int rows_ahead_ = 0;
};

}  // namespace dragoman::testing
