// Parses the tensors of a checkpoint in any supported file format. A parsed tensor is a view of the
// file's bytes. CopyAsF32 converts it to float32.
//
// Immutable, so any thread may read. A TensorTable borrows its bytes; a Checkpoint owns them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/formats/mapped_file.h"

namespace dragoman::engine {

// The most bytes of a tensor's name, in every format.
inline constexpr size_t kMaxTensorNameBytes = 512;

enum class DType { kF64, kF32, kF16, kBF16, kI64, kI32, kI16, kI8, kU64, kU32, kU16, kU8, kBool };

std::string_view DTypeName(DType type);  // "F32", as safetensors names them
int DTypeSize(DType type);               // bytes

// A view of a tensor's elements, which are little-endian and may have any alignment. The parsers
// have checked that every index within `shape` is inside `data`.
struct TensorView {
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;   // in elements, >= 0; one for each dimension of shape
  std::span<const uint8_t> data;  // begins at element [0, ..., 0]
  size_t file = 0;                // index of the tensor's file in Checkpoint::files
  // The bytes of the float32 scales of a quantized tensor (I8, I16). There is one scale for the
  // tensor, or one for each index of the first dimension. A weight is the integer divided by its
  // scale. Empty for other tensors.
  std::span<const uint8_t> scales;

  int64_t numel() const;
};

std::string ShapeString(std::span<const int64_t> shape);  // "[2, 3]"

// Returns the product of the sizes, or INVALID_ARGUMENT if a size is negative, there are more than
// 8 sizes, or the product overflows int64.
absl::StatusOr<int64_t> CheckedNumel(std::span<const int64_t> shape);

// Returns the strides of a dense row-major tensor. REQUIRES: CheckedNumel(shape) is OK.
std::vector<int64_t> DenseStrides(std::span<const int64_t> shape);

// Reports whether the type is F64, F32, F16 or BF16.
bool IsFloat(DType type);

// Reports whether CopyAsF32 accepts the tensor: floats, or dense integers with scales.
bool HoldsNumbers(const TensorView& view);

// Copies the tensor into `out` as float32, in row-major order. F64 values are rounded. If an
// element is not finite, returns the index in `out` of the first such element, otherwise nullopt.
// An element is not finite if it is NaN, infinity or an F64 beyond the largest float, or if its
// scale is 0 or not finite. REQUIRES: HoldsNumbers(view); out.size() == numel.
std::optional<size_t> CopyAsF32(const TensorView& view, std::span<float> out);

// Returns a view of rows [first, first + count). A row is all elements with the same first index.
// REQUIRES: the tensor has these rows.
TensorView RowsOf(const TensorView& view, int64_t first, int64_t count);

// Returns the smallest range of bytes that contains all elements of the tensor.
std::span<const uint8_t> BytesOf(const TensorView& view);

// Returns the indices of element number `index` of a row-major tensor: "[1, 2]".
std::string PlaceString(std::span<const int64_t> shape, size_t index);

// Tensors by name. The map is ordered, so that error messages do not depend on a hash function.
using TensorTable = std::map<std::string, TensorView, std::less<>>;

// A checkpoint of one file or of several shards.
struct Checkpoint {
  std::vector<std::string> names;  // the files' names in messages: "model.safetensors"
  std::vector<MappedFile> files;
  TensorTable tensors;
  std::vector<std::string> unlisted;  // tensors that a shard has but the index file does not name
  // The maximum number of elements of all tensors together, divided by the files' size in bytes. If
  // several tensors share a storage, the elements of each tensor count.
  uint64_t elements_per_byte = 1;

  size_t bytes() const {
    size_t all = 0;
    for (const MappedFile& file : files) all += file.bytes().size();
    return all;
  }
};

// The following functions parse the file formats. They copy nothing and execute nothing. The
// tensors that they return are views into `bytes`. If the file is invalid, they return
// INVALID_ARGUMENT, which names `file`, the tensor and the fault.
//
// Parses safetensors: a little-endian uint64 with the header's size, the header (one JSON object:
// name -> {dtype, shape, data_offsets}, and "__metadata__"), then the data. The tensors must cover
// the data without gap or overlap, as the format demands.
absl::StatusOr<TensorTable> ParseSafetensors(std::span<const uint8_t> bytes, std::string_view file);

// Parses pytorch_model.bin in both formats of torch.save: the zip archive (PyTorch 1.6 and later)
// and the older stream (magic number, protocol, system info, pickled dict, storage keys, raw
// storages; see pickle.h). The tensors of the state dict may be strided and may share storages.
absl::StatusOr<TensorTable> ParseTorchFile(std::span<const uint8_t> bytes, std::string_view file);

// Parses numpy's .npz: a zip archive (zip_directory.h) of .npy arrays, each with its own header.
// The names of the tensors do not include ".npy". Returns UNIMPLEMENTED for an unknown type or
// big-endian numbers.
absl::StatusOr<TensorTable> ParseNpzFile(std::span<const uint8_t> bytes, std::string_view file);

}  // namespace dragoman::engine
