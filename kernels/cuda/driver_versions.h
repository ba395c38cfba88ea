// The oldest NVIDIA drivers for each version of CUDA: "CUDA Toolkit and Minimum Required Driver
// Version for CUDA Minor Version Compatibility" in NVIDIA's CUDA release notes.
//
// Includes no CUDA header. README.md and docker/ repeat the numbers;
// tests/deploy/driver_versions_test.py compares them.
#pragma once

namespace dragoman::kernels::cuda {

// Returns the major version of the oldest driver for this major version of CUDA, or 0 for an
// unknown version of CUDA.
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
