// Plans the memory of one device. The backend and dragoman_profile use it.
//
// One thread creates the object and calls LoadModel. After that, any thread may call the const
// methods.
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
  // Returns UNIMPLEMENTED for shapes that the GPU's operations do not support. Returns UNAVAILABLE
  // if the process has given up the device, because a kernel on it did not end. Returns
  // INVALID_ARGUMENT for a model that cannot fit into the memory. The message shows the arithmetic.
  static absl::StatusOr<CudaPlanner> Create(const CudaBackendConfig& config, const Program& program,
                                            const WeightImage& image);

  // Loads the weights to the device. Later plans include the memory of the fused output layer.
  absl::StatusOr<std::shared_ptr<const CudaModel>> LoadModel(const WeightImage& image);

  // Makes the plan. The K/V pages get `kv_bytes` of memory, or all memory that remains if
  // `kv_bytes` is 0. `longest_source` is the number of pages of the longest source.
  absl::StatusOr<MemoryPlan> Plan(int64_t kv_bytes, int32_t longest_source) const;
  // Returns the limits of the batch; the number of pages is not set yet.
  kernels::BatchLimits Limits() const { return BatchLimitsOf(request_); }

  const std::string& device_name() const { return device_name_; }
  int multiprocessors() const { return request_.multiprocessors; }

 private:
  int device_ = 0;
  std::string device_name_;
  bool per_bucket_ = false;  // CudaModelConfig::per_bucket
  int capability_ = 0;       // CudaModelConfig::capability
  CudaOptions options_;
  MemoryRequest request_;
};

}  // namespace dragoman::engine
