// Creates the backend of a GPU (engine/decode/backend.h). The weights and the K/V pages are in the
// GPU's memory, and decoding steps run as CUDA graphs.
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
  double memory_fraction = 0.9;  // share of the device's memory that all processes may use
  BatchConfig batch;             // the worker's batch
  int default_beam = 1;          // the memory must suffice for a search with this beam
  CudaOptions options;
};

// Checks that the GPU's operations can run the network. Returns UNIMPLEMENTED if this build has no
// CUDA, or if an operation does not support one of the network's shapes (device_shapes.h). The
// message names the shape.
absl::Status CheckCudaModel(const Program& program);

// Creates the backend: copies the weights to the device and prepares the matrix products.
// Afterwards, Backend::PlanPages plans the rest of the memory, and the Create methods of Backend
// allocate it. REQUIRES: one thread calls PlanPages and the Create methods, before the workers run.
// Returns
// * UNIMPLEMENTED as CheckCudaModel does
// * INVALID_ARGUMENT, with the arithmetic, if the memory does not suffice
// * RESOURCE_EXHAUSTED if memory cannot be allocated
// * UNAVAILABLE if the process has given up the device, because a kernel on it did not end
// * FAILED_PRECONDITION for options or libraries that cannot be used
// * INTERNAL for device errors.
absl::StatusOr<std::shared_ptr<const Backend>> CreateCudaBackend(const CudaBackendConfig& config,
                                                                 const Program& program,
                                                                 const WeightImage& image);

}  // namespace dragoman::engine
