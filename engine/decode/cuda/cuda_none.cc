// What a build without CUDA says.
#include "engine/api/devices.h"
#include "engine/decode/cuda/cuda_backend.h"

namespace dragoman {
namespace {

constexpr char kNoCuda[] = "this build has no CUDA";

}  // namespace

CudaProbe ProbeCuda() { return {kNoCuda, {}}; }

absl::Status CheckCudaModel(const Program&) { return absl::UnimplementedError(kNoCuda); }

absl::StatusOr<std::shared_ptr<const Backend>> CreateCudaBackend(const CudaBackendConfig&,
                                                                 const Program&,
                                                                 const WeightImage&) {
  return absl::UnimplementedError(kNoCuda);
}

}  // namespace dragoman
