// Reads Marian's model files. They are archives of numpy arrays (.npz), or have the binary format
// (.bin) of Bergamot's and Firefox's models.
//
// Copies nothing: the tensors borrow the bytes. Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/model/formats/tensor_file.h"

namespace dragoman::engine {

struct MarianFile {
  // The tensors under Marian's names, in the shapes that the engine uses. A matrix of a product,
  // which Marian stores as [in, out], is transposed to [out, in]. A table with a row for each token
  // stays [vocabulary, d]. A tensor [1, n] becomes [n]. An 8-bit tensor (I8) has its scale in
  // TensorView::scales.
  TensorTable tensors;
  // The options of the model as YAML, "special:model.yml"; empty if the file has none.
  std::string_view options;
};

// Return INVALID_ARGUMENT, which names `file`, the tensor and the fault, if the file is invalid,
// and UNIMPLEMENTED for an unknown version or type. The tensors of the result have at most as many
// elements as the file has bytes.
absl::StatusOr<MarianFile> ParseMarianNpz(std::span<const uint8_t> bytes, std::string_view file);
absl::StatusOr<MarianFile> ParseMarianBinary(std::span<const uint8_t> bytes, std::string_view file);

// Reports whether a file that begins with these bytes has the binary format, in any version.
bool IsMarianBinary(std::span<const uint8_t> head);
// The number of bytes that IsMarianBinary needs.
inline constexpr size_t kMarianHeadBytes = 8;

}  // namespace dragoman::engine
