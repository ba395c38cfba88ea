// The launches of one decoding step on a device, and the memory that they work in.
//
// Owned and called by one thread. All memory is made at Create; a step neither allocates nor waits,
// so that it can be recorded into a graph.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "engine/decode/cuda/cuda_model.h"
#include "engine/decode/step_device.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/search/batch_step_cuda.h"
#include "kernels/search/batch_tables.h"

namespace dragoman::engine {

// The properties of a step that decide which launches it has. They never change what its rows get.
struct StepVariant {
  int bucket = 0;  // rows that launches are made for
  int max_k = 4;   // of the rows of the fused output layer: 4, 8 or 16
  bool materialized = false;
  bool align = false;  // some row may ask for its alignment
};

// Told of the launches as they are made, by their names (step_costs.h); for measurements.
class StepProbe {
 public:
  virtual ~StepProbe() = default;
  virtual kernels::cuda::Error Before(const char* op) = 0;
  virtual kernels::cuda::Error After() = 0;
};

class CudaStep {
 public:
  // `pool`: the K/V pages, borrowed; `mailboxes`: device pointers, kept by value.
  static absl::StatusOr<std::unique_ptr<CudaStep>> Create(
      std::shared_ptr<const CudaModel> model, const kernels::BatchLimits& limits, void* pool,
      const kernels::cuda::StepMailboxes& mailboxes);

  // Makes the batch an empty one.
  kernels::cuda::Error Format(kernels::cuda::Stream stream) const;

  struct Fault {
    kernels::cuda::Error error = kernels::cuda::Error::kNone;
    const char* op = "";
  };
  // Puts a step on the stream. The first launch that fails is the last.
  Fault Launch(kernels::cuda::Stream stream, const StepVariant& variant,
               StepProbe* probe = nullptr) const;

  const kernels::BatchLimits& limits() const { return tables_.limits; }
  const CudaModel& model() const { return *model_; }
  int64_t bytes() const;

 private:
  class Launcher;

  CudaStep(std::shared_ptr<const CudaModel> model, void* pool,
           const kernels::cuda::StepMailboxes& mailboxes)
      : model_(std::move(model)), pool_(pool), mailboxes_(mailboxes) {}

  absl::Status Allocate(const kernels::BatchLimits& limits);

  const std::shared_ptr<const CudaModel> model_;
  void* const pool_;
  const kernels::cuda::StepMailboxes mailboxes_;
  kernels::BatchTables tables_;

  kernels::cuda::DeviceBuffer table_memory_;
  kernels::cuda::DeviceBuffer workspace_;        // of products
  kernels::cuda::DeviceBuffer fused_workspace_;  // of the fused output layer
  // These have ProductRows of the number of rows that is named.
  kernels::cuda::DeviceBuffer activations_;  // decoder_buffers of max_rows rows
  kernels::cuda::DeviceBuffer
      gathered_;  // [min(materialized_rows, kChunkRows), d], beside a fused layer
  kernels::cuda::DeviceBuffer
      logits_;  // of each output [min(materialized_rows, kChunkRows), LogitStride] f32
};

// The StepDevice of a GPU: each kind of step is a CUDA graph, recorded here, and a step is one launch.
// Owned and called by one decode thread. Steps run on a stream of high priority; nothing in Enqueue waits
// or allocates.
//
// Runs every graph once on an empty batch, so that what does not work shows here. `pool`: the K/V
// pages on the model's device, borrowed.
absl::StatusOr<std::unique_ptr<StepDevice>> CreateCudaStepDevice(
    std::shared_ptr<const CudaModel> model, const kernels::BatchLimits& limits, void* pool);

}  // namespace dragoman::engine
