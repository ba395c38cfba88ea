// A model on a GPU: weights, encoder, steps as graphs, K/V pages in the device's memory.
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
  double memory_fraction = 0.9;  // of the device's memory that may be taken
  BatchConfig batch;             // of the workers to come
  int default_beam = 1;          // a search of this beam must be able to run
  CudaOptions options;
};

// Whether CUDA devices take the network. UNIMPLEMENTED, naming what they do not take
// (device_shapes.h), or that this build has no CUDA.
absl::Status CheckCudaModel(const Program& program);

// Copies the image to the device and prepares the products; PlanPages plans the rest of the memory,
// and the objects that are created take it. Not thread-safe before the workers run: plan and create
// in one thread. UNIMPLEMENTED as CheckCudaModel; INVALID_ARGUMENT, with the arithmetic, when the
// memory does not suffice; RESOURCE_EXHAUSTED when it cannot be allocated; INTERNAL for errors of the
// device.
absl::StatusOr<std::shared_ptr<const Backend>> CreateCudaBackend(const CudaBackendConfig& config,
                                                                 const Program& program,
                                                                 const WeightImage& image);

}  // namespace dragoman::engine
