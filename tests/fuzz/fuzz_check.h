// What the fuzz targets of model files have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "engine/model/tensor_file.h"

namespace dragoman {

// Ends the run: the input is a finding.
inline void FuzzCheck(bool holds) {
  if (!holds) std::abort();
}

// Reads every element of every small float tensor, so that one out of bounds is seen. No tensor may
// have more elements than its file has bytes.
inline void ReadAll(const TensorTable& tensors, size_t file_size) {
  constexpr int64_t kMaxElements = 1 << 16;
  for (const auto& [name, view] : tensors) {
    const int64_t numel = view.numel();
    FuzzCheck(numel >= 0 && static_cast<uint64_t>(numel) <= file_size);
    const bool is_float =
        view.dtype == DType::kF32 || view.dtype == DType::kF16 || view.dtype == DType::kBF16;
    if (!is_float || numel > kMaxElements) continue;
    std::vector<float> values(static_cast<size_t>(numel));
    CopyAsF32(view, values);
  }
}

}  // namespace dragoman
