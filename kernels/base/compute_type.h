// The number type in which a model is computed. Sums of int8 products are exact integers. All other
// sums, path scores and normalisers are f32 in every type.
//   on a GPU   weights, activations and K/V memory have the type, which is never int8
//   on a CPU   operands of products and K/V memory have the type, which is never float16;
//              all other numbers are f32
#pragma once

#include <cstdint>
#include <string_view>

namespace dragoman::kernels {

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

// The one-byte type of the operands of a quantized product on a GPU. A quantized product multiplies
// numbers of this type instead of the compute type. The rows of both operands are quantized with
// one scale per row (kernels/ops/quantize_rows.h).
//   kFloat8  e4m3: 1 sign, 4 exponent and 3 fraction bits, up to 448 (kernels/base/float8.h)
//   kInt8    -127 .. 127; sums are exact, as in ComputeType::kInt8 on a CPU
enum class QuantizedType : uint8_t { kNone, kFloat8, kInt8 };

constexpr const char* QuantizedTypeName(QuantizedType type) {
  return type == QuantizedType::kFloat8 ? "float8" : type == QuantizedType::kInt8 ? "int8" : "none";
}

// Returns the name of the instruction set that the CPU operations use, such as "avx2" or "amx"
// (kernels/cpu/isa.h). It is meant for logs. Thread-safe. The text lives as long as the process.
std::string_view CpuInstructionSet();

}  // namespace dragoman::kernels
