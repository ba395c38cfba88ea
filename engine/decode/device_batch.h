// The running batch on a device. The host sends a command with each step and reads the step's
// output one step later, so that host and device work at the same time (README.md, "Steps on a
// device").
//
// The host allots slots, lanes and the 32-bit words for the tables of rules
// (BatchLimits::rules_words). The device allots self-attention pages.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/decode/batch.h"
#include "engine/decode/step_device.h"
#include "engine/decode/word_arena.h"

namespace dragoman::engine {

// The smallest capacities of a device with which an empty batch has room for any single segment
// that a request may contain.
struct DeviceNeeds {
  int32_t rules_words = 0;        // BatchLimits::rules_words
  int32_t materialized_rows = 0;  // BatchLimits::materialized_rows
  int32_t command_words = 0;      // StepMailbox::command_capacity
  int32_t output_words = 0;       // StepMailbox::output_capacity
};
// Returns the smallest capacities. They depend only on max_rows, positions and vocabulary of
// `limits`.
DeviceNeeds NeedsOf(const kernels::BatchLimits& limits);

// Returns the limits of a batch with the capacities of NeedsOf. Leaves `workspaces` and
// `materialized_workspaces` at 0, because each device sets them itself.
kernels::BatchLimits LimitsOf(const BatchConfig& config, int32_t self_pages);

class DeviceBatch final : public Batch {
 public:
  // Returns INVALID_ARGUMENT for a device with lower capacities than NeedsOf. REQUIRES: the device
  // has made no step, because the batch numbers steps from 0.
  static absl::StatusOr<std::unique_ptr<DeviceBatch>> Create(std::unique_ptr<StepDevice> device);

  bool HasRoomFor(const kernels::SearchOptions& search,
                  const kernels::SegmentRules& rules) const override;
  int Admit(SlotInput input) override;
  CrossPages TakeCross(int number) override { return std::move(At(number).cross); }
  void Release(int slot) override;
  // Starts a step and reports the previous step. The report of the first call is empty.
  absl::StatusOr<StepReport> Step(const kernels::PlanRules& rules) override;
  std::vector<DecodedHypothesis> Result(int slot) const override;
  std::vector<int32_t> Settled(int slot) const override { return Of(slot).settled; }
  bool busy() const override { return !occupied_.empty() || !leaving_.empty(); }
  int64_t ExpectedRows() const override;
  int64_t ExpectedLoad() const override { return ExpectedRows() + surcharge_; }
  int DecodedTokens(int slot) const override;
  // Returns the number of pages in use after the step that was reported last.
  int32_t self_pages_used() const override;
  int max_rows() const override { return limits_.max_rows; }
  int64_t workspace_bytes() const override { return device_->workspace_bytes(); }

  // The number of slots, lanes and so on that are in use. For tests.
  struct Held {
    int slots = 0;
    int lanes = 0;
    int materialized_rows = 0;
    int32_t rules_words = 0;
  };
  Held held() const;

 private:
  struct Slot {
    kernels::SearchOptions search;
    CrossPages cross;
    std::vector<int32_t> lanes;
    int32_t rules_begin = 0;
    int32_t rules_words = 0;
    int64_t first_step = 0;  // the step whose command admits the segment
    bool occupied = false;
    bool ended = false;  // a step has reported the segment's end
    std::vector<int32_t> settled;
    kernels::Delivery delivery;  // the latest delivery for the slot
  };

  explicit DeviceBatch(std::unique_ptr<StepDevice> device);

  Slot& At(int slot) { return slots_[static_cast<size_t>(slot)]; }
  const Slot& Of(int slot) const { return slots_[static_cast<size_t>(slot)]; }
  const kernels::StepMailbox& MailboxOf(int64_t step) const {
    return device_->mailbox(static_cast<int>(step % kernels::kStepMailboxes));
  }
  // Returns the mailbox of the next step, which the host fills.
  const kernels::StepMailbox& NextMailbox() const { return MailboxOf(next_step_); }
  void BeginCommand();
  StepDevice::Launch MakeLaunch(const kernels::PlanRules& rules) const;
  absl::Status RunAndRead(const kernels::PlanRules& rules);
  absl::Status Read(int64_t step);
  // Makes the slot and its resources available for another segment.
  void Free(int slot);
  void FreeLeaving();

  const std::unique_ptr<StepDevice> device_;
  const kernels::BatchLimits& limits_;  // the limits of device_

  std::vector<Slot> slots_;
  std::vector<int> free_slots_;
  std::vector<int32_t> free_lanes_;
  WordArena rules_;
  int materialized_rows_ = 0;

  std::vector<int> occupied_;  // slots by age, the oldest first
  int64_t beams_ = 0;          // the sum of the beams of `occupied_`
  int64_t surcharge_ = 0;      // the sum of beam * (row_cost - 1) over `occupied_`
  // The sums of the beams of slots whose first step has not been read yet. Each sum is for the
  // slots whose first step uses the mailbox with this index. Stored because every admission calls
  // ExpectedRows.
  int64_t new_beams_[kernels::kStepMailboxes] = {0, 0};
  std::vector<int> leaving_;  // slots that the next command to the device cancels

  int64_t next_step_ = 0;
  int32_t command_words_ = 0;               // the number of words used in the next command
  kernels::StepOutput latest_{.step = -1};  // the output that was read last; step -1: none yet
  std::vector<BatchEvent> events_;
  bool failed_ = false;
};

}  // namespace dragoman::engine
