// The running batch on the CPU: the tables of its slots, lanes, rows and pages. A call of Step
// makes a complete step. See README.md, "The decoding batch". The constructor allocates all tables.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "engine/decode/batch.h"
#include "engine/decode/kv_memory.h"
#include "engine/decode/step_model.h"
#include "kernels/search/host_memory.h"
#include "kernels/search/plan.h"

namespace dragoman::engine {

class DecodingBatch final : public Batch {
 public:
  // `memory` is borrowed as long as the batch exists.
  DecodingBatch(const BatchConfig& config, KvMemory* memory, std::unique_ptr<Decoder> decoder);

  // Estimates the number of bytes that the tables of a batch take.
  static int64_t TableBytes(const BatchConfig& config);

  bool HasRoomFor(const kernels::SearchOptions& search,
                  const kernels::SegmentRules& rules) const override;
  bool HasRoomForWords(int32_t words) const override {
    return words == 0 || decoder_->HasRoomFor(words);
  }
  int Admit(SlotInput input) override;
  CrossPages TakeCross(int number) override {
    return std::move(slot_cross_[static_cast<size_t>(number)]);
  }
  void Release(int slot) override;
  absl::StatusOr<StepReport> Step(const kernels::PlanRules& rules) override;
  std::vector<DecodedHypothesis> Result(int slot) const override;
  std::vector<int32_t> Settled(int slot) const override;
  bool busy() const override { return !live_.empty(); }
  int64_t ExpectedRows() const override;
  int64_t ExpectedLoad() const override;
  int DecodedTokens(int number) const override { return slot(number).state->length; }
  int32_t self_pages_used() const override { return memory_->self_pages() - pages_.free_count; }
  void EndMemoryPeriod() override;
  bool GiveBackIdleMemory(int64_t most_bytes) override;
  int64_t resident_page_bytes() const override {
    return page_memory_.resident_bytes() + memory_->cross_resident_bytes();
  }
  int max_rows() const override { return config_.max_rows; }
  int64_t workspace_bytes() const override { return workspace_bytes_; }

  // The following are for tests and measurements.

  // Returns the slots that ran in the latest step.
  std::span<const int32_t> stepped() const {
    return {plan_.slots, static_cast<size_t>(plan_.slot_count)};
  }
  const kernels::SlotView& slot(int number) const { return views_[static_cast<size_t>(number)]; }
  kernels::SlotStatus status(int number) const { return slot(number).state->status; }
  // Returns the live slots by age, the oldest first.
  std::span<const int32_t> live() const { return live_; }

 private:
  // Returns the largest number of self pages that the slot's segment may need.
  int64_t WorstCase(int number) const;
  void PrepareRows();
  // Reports the results of the slots that ran.
  void Report();
  DecodedHypothesis Hypothesis(const kernels::SlotView& view, int entry) const;

  const BatchConfig config_;
  KvMemory* const memory_;
  const std::unique_ptr<Decoder> decoder_;
  const int lanes_;
  const int64_t stride_;

  // Slots.
  std::vector<kernels::SlotState> states_;
  std::vector<kernels::SlotView> views_;
  std::vector<int32_t> slot_lanes_;   // the lanes of each slot: [slots, kMaxSlotLanes]
  std::vector<int32_t> cross_pages_;  // the cross pages of each slot: [slots, pages_per_lane]
  std::vector<int32_t> source_length_;
  std::vector<CrossPages> slot_cross_;  // owns the pages in cross_pages_
  std::vector<uint8_t> wants_partials_;
  std::vector<int32_t> settled_;  // by slot: the number of settled tokens that were reported
  std::vector<int32_t> free_slots_;
  std::vector<int32_t> free_lanes_;
  std::vector<int32_t> live_;

  // Lanes.
  kernels::LaneMemory<uint8_t> lane_memory_;
  std::vector<int32_t> lane_pages_;
  std::vector<int32_t> free_pages_;
  kernels::LanePages lane_page_table_;
  kernels::PagePool pages_;
  PageMemory page_memory_;

  // Rows of a step.
  std::vector<int32_t> row_slot_, row_lane_, row_position_, row_token_;
  std::vector<int32_t> plan_slots_, plan_first_row_;
  kernels::PlanOutput plan_;
  kernels::RowMemory rows_;
  kernels::StepMemory<uint8_t> step_memory_;
  std::vector<kernels::AlignRow> align_;
  std::vector<uint16_t> aligned_;

  std::vector<BatchEvent> events_;
  int64_t workspace_bytes_ = 0;
};

}  // namespace dragoman::engine
