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
  double memory_fraction = 0.9;  // of the device's memory that may be in use
  BatchConfig batch;             // of the worker
  int default_beam = 1;          // the memory must suffice for a search of this beam
  CudaOptions options;
};

// Checks that CUDA devices take the network. UNIMPLEMENTED names the shape that they do not take
// (device_shapes.h), or says that this build has no CUDA.
absl::Status CheckCudaModel(const Program& program);

// Copies the image to the device and prepares the products. PlanPages plans the rest of the memory,
// and the Create methods allocate it. Before the workers run, one thread must plan and create.
// Returns UNIMPLEMENTED as CheckCudaModel does, INVALID_ARGUMENT with the arithmetic if the memory
// does not suffice, RESOURCE_EXHAUSTED if it cannot be allocated, UNAVAILABLE if the device was
// given up, FAILED_PRECONDITION for unusable options or libraries, INTERNAL for device errors.
absl::StatusOr<std::shared_ptr<const Backend>> CreateCudaBackend(const CudaBackendConfig& config,
                                                                 const Program& program,
                                                                 const WeightImage& image);

}  // namespace dragoman::engine
