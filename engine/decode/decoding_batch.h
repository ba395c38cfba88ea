// The running batch of one worker: slots, lanes, rows and pages, and the step that moves them all.
//
// Owned and called by one decode thread. All tables are allocated at construction; a step allocates
// nothing. Admission, release and results are per segment. The words are those of architecture.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "engine/decode/kv_memory.h"
#include "engine/decode/step_model.h"
#include "kernels/decide/host_memory.h"
#include "kernels/decide/plan.h"

namespace dragoman {

struct BatchConfig {
  int max_rows = 0;
  int lanes = 0;          // hypotheses held at a time, >= max_rows; 0: eight times max_rows
  int max_positions = 0;  // input positions of a hypothesis at most: max_tokens + 1
  int vocabulary = 0;     // of the target
  int32_t start_token = 0;
  int32_t eos = 0;
};

// What a segment brings into its slot. The memory behind the pointers must stay until Release.
struct SlotInput {
  SearchOptions search;
  SegmentRules rules;
  std::span<const int32_t> source;  // tokens
  std::span<const int32_t> cross_pages;
};

struct DecodedHypothesis {
  std::vector<int32_t> tokens;         // without start token and EOS
  std::vector<float> token_log_probs;  // of the tokens, then of EOS if it was emitted
  std::vector<int32_t> aligned;  // source position of each of these; with SearchOptions::align
  float score = 0;
  float log_prob = 0;
  FinishReason reason = FinishReason::kEos;
};

class DecodingBatch {
 public:
  // `memory` and `decoder` are borrowed for the batch's life.
  DecodingBatch(const BatchConfig& config, KvMemory* memory, Decoder* decoder);

  // Room for a segment as far as slots, lanes and K/V pages go.
  bool HasRoomFor(int beam, int max_tokens) const;

  // The slot's number. REQUIRES: HasRoomFor.
  int Admit(const SlotInput& input);

  struct StepResult {
    int rows = 0;
    int slots = 0;  // that ran
  };
  // One step of those slots of `order` (live slots, as admitted) that the rules select and that
  // fit. An error is the decoder's: the slots are as they were before. REQUIRES: order is not
  // empty.
  absl::StatusOr<StepResult> Step(std::span<const int32_t> order, const PlanRules& rules = {});

  // Slots that ran in the latest step.
  std::span<const int32_t> stepped() const {
    return {plan_.slots, static_cast<size_t>(plan_.slot_count)};
  }
  const SlotView& slot(int number) const { return views_[static_cast<size_t>(number)]; }
  SlotStatus status(int number) const { return slot(number).state->status; }

  // Live slots by age, the oldest first.
  std::span<const int32_t> live() const { return live_; }
  // Rows that the live slots are going to need: those they have, and the beam of one that has just
  // begun. What pruning and ended hypotheses leave is for other segments.
  int64_t ExpectedRows() const;
  // Sum of the live slots' beams.
  int width() const { return width_; }
  int max_rows() const { return config_.max_rows; }

  // The n-best of a slot that is done, best first (samples: in the order of their numbers); empty:
  // no output.
  std::vector<DecodedHypothesis> Result(int number) const;

  // Tokens decoded so far in a slot's longest live hypothesis.
  int DecodedTokens(int number) const { return slot(number).state->length; }

  // Frees the slot, its lanes and its pages.
  void Release(int number);

  int32_t self_pages_used() const { return memory_->self_pages() - pages_.free_count; }
  int64_t workspace_bytes() const { return workspace_bytes_; }

 private:
  // The slot's worst case of pages.
  int64_t WorstCase(int number) const;
  void AskRows();
  DecodedHypothesis Hypothesis(const SlotView& view, int entry) const;

  const BatchConfig config_;
  KvMemory* const memory_;
  Decoder* const decoder_;
  const int lanes_;
  const int64_t stride_;

  // Slots.
  std::vector<SlotState> states_;
  std::vector<SlotView> views_;
  std::vector<int32_t> slot_lanes_;   // [slots, kMaxSlotLanes]
  std::vector<int32_t> cross_pages_;  // [slots, pages_per_lane]
  std::vector<int32_t> source_length_;
  std::vector<const int32_t*> slot_source_;
  std::vector<int32_t> free_slots_;
  std::vector<int32_t> free_lanes_;
  std::vector<int32_t> live_;
  int width_ = 0;

  // Lanes.
  LaneMemory<uint8_t> lane_memory_;
  std::vector<int32_t> lane_pages_;
  std::vector<int32_t> free_pages_;
  LanePages lane_page_table_;
  PagePool pages_;

  // Rows of a step.
  std::vector<int32_t> row_slot_, row_lane_, row_position_, row_token_;
  std::vector<int32_t> plan_slots_, plan_first_row_;
  PlanOutput plan_;
  RowMemory rows_;
  StepMemory<uint8_t> step_memory_;
  std::vector<AlignRow> align_;
  std::vector<uint16_t> aligned_;

  int64_t workspace_bytes_ = 0;
};

}  // namespace dragoman
