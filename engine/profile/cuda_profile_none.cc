// What a build without CUDA says.
#include "engine/profile/cuda_profile.h"

namespace dragoman {

absl::StatusOr<std::string> ProfileCudaSteps(const CudaBackendConfig&, const Program&,
                                             const WeightImage&, int) {
  return absl::UnimplementedError("this build has no CUDA");
}

}  // namespace dragoman
