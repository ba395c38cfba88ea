// Converts errors of CUDA to absl::Status. The message names the device and the operation.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "kernels/cuda/launch.h"

namespace dragoman::engine {

namespace cuda = kernels::cuda;

inline std::string CudaDeviceName(int device) { return absl::StrCat("cuda:", device); }

// Returns OK for kNone, otherwise INTERNAL with a text such as "cuda:0: self-attention:
// cudaErrorIllegalAddress: ...".
inline absl::Status CudaStatus(int device, const char* op, cuda::Error error) {
  if (error == cuda::Error::kNone) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat(CudaDeviceName(device), ": ", op, ": ", cuda::ErrorText(error)));
}

// Returns OK for kNone, otherwise RESOURCE_EXHAUSTED with a text such as "cuda:0: 512 MiB for
// logits: cudaErrorMemoryAllocation: ...".
inline absl::Status CudaMemoryStatus(int device, const char* what, int64_t bytes,
                                     cuda::Error error) {
  if (error == cuda::Error::kNone) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      CudaDeviceName(device), ": ", bytes >> 20, " MiB for ", what, ": ", cuda::ErrorText(error)));
}

}  // namespace dragoman::engine
