// Whether the kernels of this build run on a device. The architectures compiled into it decide
// (DRAGOMAN_CUDA_ARCHS), not a number of the device: a build for one architecture has nothing for
// most cards, one with PTX has code for later cards.
//
// Thread-safe. Free of CUDA's headers.
#pragma once

#include "kernels/cuda/launch.h"

namespace dragoman::cuda {

// kNone if they do; otherwise the runtime's error. Starts a context on the device, which makes this
// the slower question of the two, and, where only PTX fits, has the driver compile a little.
Error FindCode(int index);

// Whether an error of FindCode says that nothing was compiled that fits the device. Other errors
// are about the driver, one that is older than the PTX for example, or about the device.
bool MeansNoCode(Error error);

}  // namespace dragoman::cuda
