// Checks that the fuzz targets of model files share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "engine/model/formats/tensor_file.h"

namespace dragoman {

// Aborts the run if `holds` is false.
inline void FuzzCheck(bool holds) {
  if (!holds) std::abort();
}

// Reads every element of every small float tensor, so that a sanitizer detects reads out of bounds.
// No tensor may have more elements than its file has bytes.
inline void ReadAll(const engine::TensorTable& tensors, size_t file_size) {
  constexpr int64_t kMaxElements = 1 << 16;
  for (const auto& [name, view] : tensors) {
    const int64_t numel = view.numel();
    FuzzCheck(numel >= 0 && static_cast<uint64_t>(numel) <= file_size);
    if (!engine::HoldsNumbers(view) || numel > kMaxElements) continue;
    std::vector<float> values(static_cast<size_t>(numel));
    const std::optional<size_t> bad = engine::CopyAsF32(view, values);
    FuzzCheck(!bad || (*bad < values.size() && !std::isfinite(values[*bad])));
    FuzzCheck(bad || std::ranges::all_of(values, [](float value) { return std::isfinite(value); }));
  }
}

}  // namespace dragoman
