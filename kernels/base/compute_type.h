// The number type of a model. Sums of products in int8 are exact; all other sums, path scores and
// normalisers are f32 in every type.
//   a GPU   weights, activations and attention memory; no int8
//   a CPU   the operands of products (rows are narrowed as they come); the rest is f32; no float16
#pragma once

#include <cstdint>

namespace dragoman {

enum class ComputeType : uint8_t { kFloat32, kFloat16, kBFloat16, kInt8 };

constexpr int64_t ElementBytes(ComputeType type) {
  return type == ComputeType::kFloat32 ? 4 : type == ComputeType::kInt8 ? 1 : 2;
}

constexpr const char* ComputeTypeName(ComputeType type) {
  switch (type) {
    case ComputeType::kFloat16:
      return "float16";
    case ComputeType::kBFloat16:
      return "bfloat16";
    case ComputeType::kInt8:
      return "int8";
    case ComputeType::kFloat32:
      break;
  }
  return "float32";
}

}  // namespace dragoman
