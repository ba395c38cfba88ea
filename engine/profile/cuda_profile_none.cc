// Implements ProfileCudaSteps in a build without CUDA: it always returns an error.
#include "engine/profile/cuda_profile.h"

namespace dragoman::engine {

absl::StatusOr<std::string> ProfileCudaSteps(const CudaBackendConfig&, const Program&,
                                             const WeightImage&, int) {
  return absl::UnimplementedError("this build has no CUDA");
}

}  // namespace dragoman::engine
