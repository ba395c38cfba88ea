// What a build without CUDA says.
#include "engine/decode/cuda/cuda_backend.h"
#include "engine/decode/devices.h"

namespace dragoman {
namespace {

#ifdef DRAGOMAN_HAVE_CUDA
constexpr char kNoCuda[] = "the CUDA side of this build is not whole yet";
#else
constexpr char kNoCuda[] = "this build has no CUDA";
#endif

}  // namespace

#ifndef DRAGOMAN_HAVE_CUDA
CudaProbe ProbeCuda() { return {kNoCuda, {}}; }
#endif

absl::Status CheckCudaModel(const ModelSpec&) { return absl::UnimplementedError(kNoCuda); }

absl::StatusOr<std::shared_ptr<const Backend>> CreateCudaBackend(const CudaBackendConfig&,
                                                                 const ModelSpec&,
                                                                 const WeightImage&) {
  return absl::UnimplementedError(kNoCuda);
}

absl::StatusOr<std::string> ProfileCudaSteps(const CudaBackendConfig&, const ModelSpec&,
                                             const WeightImage&, int) {
  return absl::UnimplementedError(kNoCuda);
}

}  // namespace dragoman
