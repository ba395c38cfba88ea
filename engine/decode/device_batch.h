// The running batch where the host cannot look: it sends a command with each step and reads its
// output one step late, so that a step runs while the host deals with the one before (README.md,
// "Steps on a device").
//
// The host allots slots, lanes and the words of rules; pages of self-attention are the device's
// plan's.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/decode/batch.h"
#include "engine/decode/step_device.h"
#include "engine/decode/word_arena.h"

namespace dragoman::engine {

// The least that a device must have for an empty batch to take every segment that the wire allows.
struct DeviceNeeds {
  int32_t rules_words = 0;        // BatchLimits::rules_words
  int32_t materialized_rows = 0;  // BatchLimits::materialized_rows
  int32_t command_words = 0;      // StepMailbox::command_capacity
  int32_t output_words = 0;       // StepMailbox::output_capacity
};
// Depends on max_rows and positions only.
DeviceNeeds NeedsOf(const kernels::BatchLimits& limits);

// The limits of a batch, with the least that is needed; workspaces are the device's to choose.
kernels::BatchLimits LimitsOf(const BatchConfig& config, int32_t self_pages);

class DeviceBatch final : public Batch {
 public:
  // INVALID_ARGUMENT for a device that has less than it needs. Steps begin with number 0: the
  // device has made none.
  static absl::StatusOr<std::unique_ptr<DeviceBatch>> Create(std::unique_ptr<StepDevice> device);

  bool HasRoomFor(const kernels::SearchOptions& search,
                  const kernels::SegmentRules& rules) const override;
  int Admit(SlotInput input) override;
  void Release(int slot) override;
  // Starts a step and reports the one before; the first one reports nothing.
  absl::StatusOr<StepReport> Step(const kernels::PlanRules& rules) override;
  std::vector<DecodedHypothesis> Result(int slot) const override;
  std::vector<int32_t> Settled(int slot) const override { return Of(slot).settled; }
  bool busy() const override { return !occupied_.empty() || !leaving_.empty(); }
  int64_t ExpectedRows() const override;
  int64_t ExpectedLoad() const override { return ExpectedRows() + surcharge_; }
  int DecodedTokens(int slot) const override;
  // The pages in use after the step reported last.
  int32_t self_pages_used() const override;
  int max_rows() const override { return limits_.max_rows; }
  int64_t workspace_bytes() const override { return device_->workspace_bytes(); }

  // The resources that the host has allotted, for tests.
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
    int64_t first_step = 0;  // whose command admits it
    bool occupied = false;
    bool ended = false;  // as reported
    std::vector<int32_t> settled;
    kernels::Delivery delivery;  // the latest that names the slot
  };

  explicit DeviceBatch(std::unique_ptr<StepDevice> device);

  Slot& At(int slot) { return slots_[static_cast<size_t>(slot)]; }
  const Slot& Of(int slot) const { return slots_[static_cast<size_t>(slot)]; }
  const kernels::StepMailbox& MailboxOf(int64_t step) const {
    return device_->mailbox(static_cast<int>(step % kernels::kStepMailboxes));
  }
  // The mailbox of the step that is enqueued next, for the host to fill.
  const kernels::StepMailbox& NextMailbox() const { return MailboxOf(next_step_); }
  void BeginCommand();
  StepDevice::Launch MakeLaunch(const kernels::PlanRules& rules) const;
  absl::Status RunAndRead(const kernels::PlanRules& rules);
  absl::Status Read(int64_t step);
  // The slot and all it holds go to others.
  void Free(int slot);
  void FreeLeaving();

  const std::unique_ptr<StepDevice> device_;
  const kernels::BatchLimits& limits_;  // the device's

  std::vector<Slot> slots_;
  std::vector<int> free_slots_;
  std::vector<int32_t> free_lanes_;
  WordArena rules_;
  int materialized_rows_ = 0;

  std::vector<int> occupied_;  // slots by age, the oldest first
  int64_t beams_ = 0;          // of these, together
  int64_t surcharge_ = 0;      // what their lanes count above one row each
  // The beams of slots whose first step has not been read, by its mailbox. Kept, because
  // ExpectedRows is called for every segment that is admitted.
  int64_t new_beams_[kernels::kStepMailboxes] = {0, 0};
  std::vector<int> leaving_;  // cancelled by the next command

  int64_t next_step_ = 0;
  int32_t command_words_ = 0;               // of the next command
  kernels::StepOutput latest_{.step = -1};  // what was read last; -1: nothing yet
  std::vector<BatchEvent> events_;
  bool failed_ = false;
};

}  // namespace dragoman::engine
