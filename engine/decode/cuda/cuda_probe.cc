#include "absl/strings/str_cat.h"
#include "engine/api/devices.h"
#include "engine/api/nvidia_card.h"
#include "kernels/cuda/cublas_lt.h"
#include "kernels/cuda/device.h"

namespace dragoman::engine {
namespace {

// Returns why the device cannot be used, or "". Sets *capability to its compute capability (90 is
// 9.0), or 0 if that is unknown; sets *mig_part if the device is a MIG slice.
std::string WhyUnfit(int device, bool* mig_part, int* capability) {
  kernels::cuda::DeviceInfo info;
  *capability = 0;
  if (std::string why = WhyGivenUp(device); !why.empty()) return why;
  if (const kernels::cuda::Error error = kernels::cuda::Describe(device, &info);
      error != kernels::cuda::Error::kNone) {
    return kernels::cuda::ErrorText(error);
  }
  *mig_part = *mig_part || info.IsMigPart();
  *capability = 10 * info.major + info.minor;
  const kernels::cuda::Error error = kernels::cuda::FindCode(device);
  if (error == kernels::cuda::Error::kNone) return "";
  const std::string card =
      absl::StrCat(info.name, ", compute capability ", info.major, ".", info.minor, ": ");
  if (!kernels::cuda::MeansNoCode(error))
    return absl::StrCat(card, kernels::cuda::ErrorText(error));
  return absl::StrCat(card, "this build has no code for it, only for ",
                      kernels::cuda::CompiledArchitectures());
}

}  // namespace

CudaProbe ProbeCuda() {
  CudaProbe probe;
  const int count = kernels::cuda::DeviceCount(&probe.why_none);
  if (count == 0) {
    const NvidiaCard card = FindNvidiaCard("");
    probe.card = card.seen_at;
    probe.remedy = RemedyFor(card, kernels::cuda::LeastDriver());
    return probe;
  }
  const char* why = nullptr;
  if (kernels::cuda::LoadCublasLt(&why) == nullptr) {
    probe.why_none = absl::StrCat("cuBLASLt cannot be loaded: ", why);
    probe.card = absl::StrCat("CUDA devices: ", count);
    probe.remedy =
        "install it where the dynamic loader finds it, or name its directory in "
        "LD_LIBRARY_PATH";
    return probe;
  }
  for (int device = 0; device < count; ++device) {
    int capability = 0;
    probe.unfit.push_back(WhyUnfit(device, &probe.mig_part, &capability));
    probe.capability.push_back(capability);
  }
  return probe;
}

}  // namespace dragoman::engine
