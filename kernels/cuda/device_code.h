// Whether the kernels of this build run on a device. What counts is what was compiled into it
// (DRAGOMAN_CUDA_ARCHS), not a number of the device: a build for one architecture has nothing for
// most cards, one with PTX has code for cards that it has never heard of.
//
// Thread-safe. Free of CUDA's headers.
#pragma once

#include "kernels/cuda/launch.h"

namespace dragoman::cuda {

// kNone if they do; otherwise the runtime's word for it. Starts a context on the device, which
// makes it the slower of the two to ask, and, where only PTX fits, has the driver compile a little.
Error FindCode(int index);

// Whether an error of FindCode says that nothing was compiled that fits the device. Other errors
// are about the driver, one that is older than the PTX for example, or about the device.
bool MeansNoCode(Error error);

}  // namespace dragoman::cuda
