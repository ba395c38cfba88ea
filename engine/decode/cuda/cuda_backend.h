// The backend of a GPU: weights, encoder, steps as graphs, and K/V pages in the device's memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "engine/api/cuda_options.h"
#include "engine/decode/backend.h"
#include "engine/decode/batch.h"
#include "engine/decode/cuda/weight_image.h"
#include "engine/network/program.h"

namespace dragoman::engine {

struct CudaBackendConfig {
  int device = 0;
  double memory_fraction = 0.9;  // share of the device's memory that may be in use
  BatchConfig batch;             // the worker's batch
  int default_beam = 1;          // the memory must suffice for a search of this beam
  CudaOptions options;
};

// Checks that the operations of a GPU take the network. Returns UNIMPLEMENTED if they do not,
// naming the shape (device_shapes.h), or if this build has no CUDA.
absl::Status CheckCudaModel(const Program& program);

// Creates the backend: copies the image to the device and prepares the products. Backend::PlanPages
// then plans the rest of the memory, and the Create methods of Backend allocate it. REQUIRES: one
// thread calls these methods, before the workers run. Returns
// * UNIMPLEMENTED as CheckCudaModel does
// * INVALID_ARGUMENT with the arithmetic if the memory does not suffice
// * RESOURCE_EXHAUSTED if memory cannot be allocated
// * UNAVAILABLE if the device was given up, because a kernel on it did not end
// * FAILED_PRECONDITION for options or libraries that cannot be used
// * INTERNAL for device errors.
absl::StatusOr<std::shared_ptr<const Backend>> CreateCudaBackend(const CudaBackendConfig& config,
                                                                 const Program& program,
                                                                 const WeightImage& image);

}  // namespace dragoman::engine
