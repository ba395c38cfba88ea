// Runs the steps of a batch on a GPU with a script in place of the model. The production's kernels
// prepare, decide and deliver; the logits come from the host. So the oracle's searches and random
// cases run on the device as in the daemon (DeviceBatch drives both).
//
// Between the preparation of a step and its decisions, the host reads the tables of the batch and
// writes the logits. So Enqueue returns when its step has ended, and Wait does nothing. Call from
// one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/decode/cuda/step_mailboxes.h"
#include "engine/decode/step_device.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/stream.h"

namespace dragoman::testing {

class ScriptedCudaDevice : public engine::StepDevice {
 public:
  // Computes the logits of the next token of a hypothesis: one for each token of the vocabulary.
  // `slot` has the segment of the hypothesis.
  using SlotScript =
      std::function<std::vector<float>(int32_t slot, std::span<const int32_t> prefix)>;
  // Called after a step with each slot that ran. The view is of a copy that is valid during the
  // call.
  using SlotWatch = std::function<void(int32_t slot, const kernels::SlotView& view)>;

  // REQUIRES: limits.materialized_rows >= limits.max_rows, because every row has materialized
  // logits.
  static absl::StatusOr<std::unique_ptr<ScriptedCudaDevice>> Create(
      const kernels::BatchLimits& limits, SlotScript script, SlotWatch watch = nullptr);

  const kernels::BatchLimits& limits() const override { return limits_; }
  std::span<const int> buckets() const override { return {&bucket_, 1}; }
  bool IsMaterialized(const kernels::SearchOptions&) const override { return true; }
  const kernels::StepMailbox& mailbox(int index) const override { return mailboxes_.host(index); }
  absl::Status Enqueue(const Launch& launch) override;
  absl::Status Wait(int) override { return absl::OkStatus(); }
  int64_t workspace_bytes() const override { return tables_memory_.bytes(); }

 private:
  ScriptedCudaDevice(const kernels::BatchLimits& limits, SlotScript script, SlotWatch watch);
  absl::Status Allocate();
  // Copies the batch's memory to the host. host_tables_ are then the tables of the copy.
  absl::Status Look();
  // Writes the logits of all rows. Call after Look.
  absl::Status Answer();

  kernels::SlotView CopiedView(int32_t slot) const;

  const kernels::BatchLimits limits_;
  const int bucket_;
  const SlotScript script_;
  const SlotWatch watch_;
  kernels::cuda::OwnedStream stream_;
  kernels::cuda::DeviceBuffer tables_memory_;
  kernels::cuda::DeviceBuffer logits_;  // [max_rows, vocabulary]
  engine::StepMailboxes mailboxes_;
  kernels::BatchTables tables_;
  struct Free {
    void operator()(std::byte* p) const;
  };
  std::unique_ptr<std::byte, Free> copy_;
  kernels::BatchTables host_tables_;
};

}  // namespace dragoman::testing
