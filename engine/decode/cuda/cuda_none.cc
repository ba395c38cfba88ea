// Implements the functions of the CUDA backend in a build without CUDA. Each of them reports that
// there is no CUDA.
#include "engine/api/devices.h"
#include "engine/api/nvidia_card.h"
#include "engine/decode/cuda/cuda_backend.h"

namespace dragoman::engine {
namespace {

constexpr char kNoCuda[] = "this build has no CUDA";

}  // namespace

CudaProbe ProbeCuda() {
  const NvidiaCard card = FindNvidiaCard("");
  return {kNoCuda, {}, false, {}, card.seen_at, RemedyFor(card, 0)};
}

absl::Status CheckCudaModel(const Program&) { return absl::UnimplementedError(kNoCuda); }

absl::StatusOr<std::shared_ptr<const Backend>> CreateCudaBackend(const CudaBackendConfig&,
                                                                 const Program&,
                                                                 const WeightImage&) {
  return absl::UnimplementedError(kNoCuda);
}

}  // namespace dragoman::engine
