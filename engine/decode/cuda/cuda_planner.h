// Plans the memory of one device, for the backend and for dragoman_profile.
//
// A value. One thread creates it and loads the model. Then any thread may read it.
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
  // Returns UNIMPLEMENTED for shapes that the device does not take, UNAVAILABLE if it was given up,
  // and INVALID_ARGUMENT, with the arithmetic, for a model that can never fit.
  static absl::StatusOr<CudaPlanner> Create(const CudaBackendConfig& config, const Program& program,
                                            const WeightImage& image);

  // Loads the weights. Later plans include the device's fused output layer.
  absl::StatusOr<std::shared_ptr<const CudaModel>> LoadModel(const WeightImage& image);

  // Plans with K/V pages of `kv_bytes` (0: all remaining memory). `longest_source` is in pages.
  absl::StatusOr<MemoryPlan> Plan(int64_t kv_bytes, int32_t longest_source) const;
  // Returns the limits of the batch, except its pages.
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
