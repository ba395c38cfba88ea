// The number type of a model. Sums of products in int8 are exact; all other sums, path scores and
// normalisers are f32 in every type.
//   a GPU   weights, activations and attention memory; no int8
//   a CPU   the operands of products (rows are quantized as they come); the rest is f32; no float16
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

// Numbers of one byte that a product on a GPU may multiply in place of those of the compute type:
// rows of both operands are quantized with a scale each (kernels/ops/quantize_rows.h).
//   kFloat8  e4m3: 1 sign, 4 exponent and 3 fraction bits, up to 448 (kernels/base/float8.h)
//   kInt8    -127 .. 127; sums are exact, as in the compute type of that name on a CPU
enum class QuantizedType : uint8_t { kNone, kFloat8, kInt8 };

constexpr const char* QuantizedTypeName(QuantizedType type) {
  return type == QuantizedType::kFloat8 ? "float8" : type == QuantizedType::kInt8 ? "int8" : "none";
}

// The name of the instruction set that the CPU operations use, for logs and measurements: one of
// those of kernels/cpu/isa.h, such as "avx2" or "amx". Thread-safe. The result lives as long as the
// process.
std::string_view CpuInstructionSet();

}  // namespace dragoman::kernels
