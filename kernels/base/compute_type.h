// The number type of weights, activations and attention memory. Sums, path scores and normalisers
// are f32 in every type.
#pragma once

#include <cstdint>

namespace dragoman {

enum class ComputeType : uint8_t { kFloat32, kFloat16, kBFloat16 };

constexpr int64_t ElementBytes(ComputeType type) { return type == ComputeType::kFloat32 ? 4 : 2; }

constexpr const char* ComputeTypeName(ComputeType type) {
  switch (type) {
    case ComputeType::kFloat16:
      return "float16";
    case ComputeType::kBFloat16:
      return "bfloat16";
    case ComputeType::kFloat32:
      break;
  }
  return "float32";
}

}  // namespace dragoman
