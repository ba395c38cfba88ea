// Implements FindCode and MeansNoCode of device.h. FindCode needs a kernel, so this is a .cu file.
#include "kernels/cuda/device.h"

#include "kernels/cuda/checked.h"

namespace dragoman::kernels::cuda {
namespace {

// FindCode asks whether a device can run this kernel, which is never launched. All kernels are
// compiled for the same architectures (kernels/CMakeLists.txt), so the answer is the same for all.
__global__ void __launch_bounds__(32) AskedAfterKernel() {}

}  // namespace

Error FindCode(int index) {
  const int before = CurrentDevice();
  Error error = SetDevice(index);
  if (error != Error::kNone) return error;
  cudaFuncAttributes attributes{};
  error = Checked(cudaFuncGetAttributes(&attributes, AskedAfterKernel));
  if (before >= 0 && before != index) {
    const Error back = SetDevice(before);
    if (error == Error::kNone) error = back;
  }
  return error;
}

bool MeansNoCode(Error error) {
  const auto status = static_cast<cudaError_t>(error);
  return status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction;
}

}  // namespace dragoman::kernels::cuda
