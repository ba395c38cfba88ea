// Numbers of one byte that a product on a GPU may multiply in place of those of the compute type:
// rows of both operands are narrowed with a scale each (kernels/ops/narrow_rows.h).
//   kFloat8  e4m3: 1 sign, 4 exponent and 3 fraction bits, up to 448 (kernels/base/float8.h)
//   kInt8    -127 .. 127; sums are exact, as in the compute type of that name on a CPU
#pragma once

#include <cstdint>

namespace dragoman {

enum class NarrowType : uint8_t { kNone, kFloat8, kInt8 };

constexpr const char* NarrowTypeName(NarrowType type) {
  return type == NarrowType::kFloat8 ? "float8" : type == NarrowType::kInt8 ? "int8" : "none";
}

}  // namespace dragoman
