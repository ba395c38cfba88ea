// The oldest NVIDIA drivers that take programs of a version of CUDA: "CUDA Toolkit and Minimum
// Required Driver Version for CUDA Minor Version Compatibility" in NVIDIA's release notes of CUDA.
//
// Free of CUDA's headers. README.md and docker/ repeat the numbers; tests/deploy/driver_versions_test.py
// compares them.
#pragma once

namespace dragoman::kernels::cuda {

// The driver's major version, of CUDA 12 and 13; 0 for a version that is not known here.
constexpr int LeastDriverOf(int cuda_major) {
  switch (cuda_major) {
    case 12:
      return 525;
    case 13:
      return 580;
    default:
      return 0;
  }
}

}  // namespace dragoman::kernels::cuda
