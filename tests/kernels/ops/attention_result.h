// The result of an attention operation, copied from the device, as values and as bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/kernels/ops/attention_reference.h"
#include "tests/kernels/ops/op_device.h"

namespace dragoman::kernels {

struct AttentionResult {
  // Waits for the device. The inputs may be destroyed afterwards.
  AttentionResult(const OpNumbers& numbers, size_t row_elements)
      : values(numbers.Download()),
        bits(numbers.Bits()),
        row_bytes(bits.size() / numbers.size() * row_elements) {}

  std::vector<uint8_t> RowBits(size_t first, size_t count) const {
    return {bits.begin() + static_cast<std::ptrdiff_t>(first * row_bytes),
            bits.begin() + static_cast<std::ptrdiff_t>((first + count) * row_bytes)};
  }

  std::vector<float> values;
  std::vector<uint8_t> bits;
  size_t row_bytes;
};

// The shapes of the tests. The CPU takes heads of any width.
inline std::vector<Heads> AttentionShapes(const OpDevice& device) {
  std::vector<Heads> shapes = {{2, 64}, {1, 32}, {1, 128}, {3, 8}, {1, 24}, {1, 80}};
  if (!device.launches()) shapes.insert(shapes.end(), {{4, 64}, {1, 20}, {2, 100}, {5, 16}});
  return shapes;
}

// The tolerance against the reference: one rounding to the compute type, plus the sums in f32.
inline double AttentionTolerance(const OpDevice& device) { return device.unit() + 4e-6; }

}  // namespace dragoman::kernels
