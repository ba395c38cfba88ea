// The memory of one device, from a look at it to the plan: shared by the backend and the profile.
//
// A value; made and used by one thread, read by any.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "engine/decode/cuda/cuda_backend.h"
#include "engine/decode/cuda/cuda_model.h"
#include "engine/decode/cuda/memory_plan.h"

namespace dragoman::engine {

class CudaPlanner {
 public:
  // Looks at the device. UNIMPLEMENTED for a model whose shapes a device does not take. Refuses, with the
  // arithmetic, one that cannot fit whatever the pages.
  static absl::StatusOr<CudaPlanner> Create(const CudaBackendConfig& config, const Program& program,
                                            const WeightImage& image);

  // Loads the weights; what the device's output layer can do is part of the plan from now on.
  absl::StatusOr<std::shared_ptr<const CudaModel>> LoadModel(const WeightImage& image);

  // Pages in `kv_bytes` (0: in all that is left). `longest_source` in pages.
  absl::StatusOr<MemoryPlan> Plan(int64_t kv_bytes, int32_t longest_source) const;
  // The limits of the batch, but for its pages.
  kernels::BatchLimits Limits() const { return BatchLimitsOf(request_); }

  const std::string& device_name() const { return device_name_; }
  int multiprocessors() const { return request_.multiprocessors; }

 private:
  int device_ = 0;
  std::string device_name_;
  bool per_bucket_ = false;  // CudaModelConfig::per_bucket
  int capability_ = 0;       // the same
  CudaOptions options_;
  MemoryRequest request_;
};

}  // namespace dragoman::engine
