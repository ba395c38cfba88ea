// The tensors of a checkpoint, whatever its format: names and views of bytes that stay where they
// are until they are copied out as float32; and the parsers of the formats.
//
// Immutable, so any thread may read. A TensorTable borrows the bytes it was parsed from; a
// Checkpoint owns them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/model/formats/mapped_file.h"

namespace dragoman::engine {

enum class DType { kF64, kF32, kF16, kBF16, kI64, kI32, kI16, kI8, kU64, kU32, kU16, kU8, kBool };

std::string_view DTypeName(DType type);  // "F32", as safetensors names them
int DTypeSize(DType type);               // bytes

// Little-endian elements of any alignment. Every index within `shape` was checked to lie in `data`.
struct TensorView {
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;   // in elements, >= 0; as long as shape
  std::span<const uint8_t> data;  // begins at element [0, ..., 0]
  size_t file = 0;                // the index of its file among the checkpoint's
  // The scales of a quantized tensor (I8, I16) in float32: one in all, or one for each index of the
  // first dimension. A weight is its integer divided by the scale. Empty: raw integers, not weights.
  std::span<const uint8_t> scales;

  int64_t numel() const;
};

std::string ShapeString(std::span<const int64_t> shape);  // "[2, 3]"

// The product of the sizes, or INVALID_ARGUMENT when a size is negative, there are more than 8 of
// them, or the product leaves int64.
absl::StatusOr<int64_t> CheckedNumel(std::span<const int64_t> shape);

// The strides of a dense row-major tensor. REQUIRES: CheckedNumel(shape) is OK.
std::vector<int64_t> DenseStrides(std::span<const int64_t> shape);

// Whether the type is F64, F32, F16 or BF16.
bool IsFloat(DType type);

// Whether CopyAsF32 takes the tensor: floats, and dense integers with scales.
bool HoldsNumbers(const TensorView& view);

// Copies the tensor, row-major, into `out`; F64 is rounded. Returns the index in `out` of the first
// element that is not finite (NaN, infinity, F64 beyond the largest float, a scale of 0), or nothing.
// REQUIRES: HoldsNumbers(view); out.size() == numel.
std::optional<size_t> CopyAsF32(const TensorView& view, std::span<float> out);

// Rows first to first + count - 1, of the first dimension. REQUIRES: the tensor has these rows.
TensorView RowsOf(const TensorView& view, int64_t first, int64_t count);

// The bytes that its elements lie in.
std::span<const uint8_t> BytesOf(const TensorView& view);

// The indices of element number `index` of a row-major tensor: "[1, 2]".
std::string PlaceString(std::span<const int64_t> shape, size_t index);

// Ordered by name, so that messages do not depend on a hash.
using TensorTable = std::map<std::string, TensorView, std::less<>>;

// One file, or the shards of one.
struct Checkpoint {
  std::vector<std::string> names;  // of the files, for messages: "model.safetensors"
  std::vector<MappedFile> files;
  TensorTable tensors;
  std::vector<std::string> unlisted;  // tensors in a shard that its index does not name
  // The limit on the elements of all tensors together, for each byte of the files; tensors that share
  // a storage are all counted.
  uint64_t elements_per_byte = 1;

  size_t bytes() const {
    size_t all = 0;
    for (const MappedFile& file : files) all += file.bytes().size();
    return all;
  }
};

// The parsers of the formats. Nothing is copied or executed: the tables borrow `bytes`. INVALID_ARGUMENT
// names `file`, the tensor, and what is wrong.
//
// safetensors: a little-endian uint64 with the header's size, the header (one JSON object: name ->
// {dtype, shape, data_offsets}, and "__metadata__"), then the data, which the tensors cover without
// hole or overlap, as the format demands.
absl::StatusOr<TensorTable> ParseSafetensors(std::span<const uint8_t> bytes, std::string_view file);

// pytorch_model.bin, in both formats of torch.save: the zip archive (PyTorch 1.6 and later) and the
// older stream (magic number, protocol, system info, pickled dict, storage keys, raw storages; see
// pickle.h). The tensors of the state dict may share storages and be strided.
absl::StatusOr<TensorTable> ParseTorchFile(std::span<const uint8_t> bytes, std::string_view file);

// numpy's .npz: a zip archive (zip_directory.h) of .npy arrays, each with its own header; the names are
// without ".npy". UNIMPLEMENTED names a type that is not known, or big-endian numbers.
absl::StatusOr<TensorTable> ParseNpzFile(std::span<const uint8_t> bytes, std::string_view file);

}  // namespace dragoman::engine
