// The tensors of a checkpoint file, whatever its format: names and views of bytes that stay where
// they are until somebody copies them out as f32.
//
// Immutable, so any thread may read. A TensorTable borrows the bytes it was parsed from; a
// TensorFile owns their mapping.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/model/mapped_file.h"

namespace dragoman {

enum class DType { kF64, kF32, kF16, kBF16, kI64, kI32, kI16, kI8, kU64, kU32, kU16, kU8, kBool };

std::string_view DTypeName(DType type);  // "F32", as safetensors names them
int DTypeSize(DType type);               // bytes

// Little-endian elements of any alignment. Every index within `shape` was checked to lie in `data`.
struct TensorView {
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;   // in elements, >= 0; as long as shape
  std::span<const uint8_t> data;  // begins at element [0, ..., 0]

  int64_t numel() const;
};

std::string ShapeString(std::span<const int64_t> shape);  // "[2, 3]"

// The product of the sizes, or INVALID_ARGUMENT when a size is negative, there are more than 8 of
// them, or the product leaves int64.
absl::StatusOr<int64_t> CheckedNumel(std::span<const int64_t> shape);

// The strides of a dense row-major tensor. REQUIRES: CheckedNumel(shape) is OK.
std::vector<int64_t> DenseStrides(std::span<const int64_t> shape);

// Copies the tensor, row-major, into `out`. REQUIRES: dtype F32, F16 or BF16; out.size() == numel.
void CopyAsF32(const TensorView& view, std::span<float> out);

// Ordered by name, so that messages do not depend on a hash.
using TensorTable = std::map<std::string, TensorView, std::less<>>;

struct TensorFile {
  std::string name;  // for messages: "model.safetensors"
  MappedFile file;
  TensorTable tensors;
};

}  // namespace dragoman
