// Launches the kernels of a decoding step on a GPU, and owns the memory that they use.
//
// Owned and called by one thread. Create allocates all memory. A step neither allocates nor waits,
// so that a graph can record it.
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

// The properties of a step that determine its launches. They never change the results of its rows.
struct StepVariant {
  int bucket = 0;  // the number of rows that launches are sized for
  int max_k = 4;   // 4, 8 or 16: candidates per row in the fused output layer
  bool materialized = false;
  bool align = false;  // whether a row may need its alignment
};

// An object that is called before and after each launch, for measurements. `op` is the launch's
// name (step_costs.h).
class StepProbe {
 public:
  virtual ~StepProbe() = default;
  virtual kernels::cuda::Error Before(const char* op) = 0;
  virtual kernels::cuda::Error After() = 0;
};

class CudaStep {
 public:
  // Borrows `pool`, the memory of the K/V pages. Copies the pointers in `mailboxes`, which are
  // device addresses of device memory or pinned memory.
  static absl::StatusOr<std::unique_ptr<CudaStep>> Create(
      std::shared_ptr<const CudaModel> model, const kernels::BatchLimits& limits, void* pool,
      const kernels::cuda::StepMailboxes& mailboxes);

  // Launches a kernel on the stream that makes the batch empty (FormatBatch).
  kernels::cuda::Error Format(kernels::cuda::Stream stream) const;

  struct Fault {
    kernels::cuda::Error error = kernels::cuda::Error::kNone;
    const char* op = "";
  };
  // Launches the kernels of a step on the stream. Stops at the first launch that fails.
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
  kernels::cuda::DeviceBuffer workspace_;        // workspace of the products
  kernels::cuda::DeviceBuffer fused_workspace_;  // workspace of the fused output layer
  // In the next three buffers, row counts are rounded up by ProductRows.
  //
  // The decoder's buffers (CudaModel::decoder_buffers) for max_rows rows.
  kernels::cuda::DeviceBuffer activations_;
  // The gathered rows [min(materialized_rows, kChunkRows), d], only with a fused layer.
  kernels::cuda::DeviceBuffer gathered_;
  // The f32 logits [min(materialized_rows, kChunkRows), LogitStride] of each output.
  kernels::cuda::DeviceBuffer logits_;
};

// Creates the StepDevice of a GPU. Records a CUDA graph for each StepVariant and launches each
// graph once on an empty batch, so that errors of kernels occur here. One decode thread owns and
// calls the object. Enqueue launches one graph on a stream of high priority. It neither waits nor
// allocates. Borrows `pool`, the memory of the K/V pages on the model's device.
absl::StatusOr<std::unique_ptr<StepDevice>> CreateCudaStepDevice(
    std::shared_ptr<const CudaModel> model, const kernels::BatchLimits& limits, void* pool);

}  // namespace dragoman::engine
