#include "absl/strings/str_cat.h"
#include "engine/api/devices.h"
#include "kernels/cuda/cublas_lt.h"
#include "kernels/cuda/device.h"

namespace dragoman {
namespace {

// The oldest architecture that the kernels are compiled for: 8.0.
constexpr int kLeastMajor = 8;

std::string WhyUnfit(int device) {
  cuda::DeviceInfo info;
  if (const cuda::Error error = cuda::Describe(device, &info); error != cuda::Error::kNone) {
    return cuda::ErrorText(error);
  }
  if (info.major < kLeastMajor) {
    return absl::StrCat(info.name, " has compute capability ", info.major, ".", info.minor,
                        ", expected ", kLeastMajor, ".0 or later");
  }
  return "";
}

}  // namespace

CudaProbe ProbeCuda() {
  CudaProbe probe;
  const int count = cuda::DeviceCount(&probe.why_none);
  if (count == 0) return probe;
  const char* why = nullptr;
  if (cuda::LoadCublasLt(&why) == nullptr) {
    probe.why_none = absl::StrCat("cuBLASLt cannot be loaded: ", why);
    return probe;
  }
  for (int device = 0; device < count; ++device) probe.unfit.push_back(WhyUnfit(device));
  return probe;
}

}  // namespace dragoman
