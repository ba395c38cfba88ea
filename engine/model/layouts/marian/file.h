// Reads Marian's model files: model.npz, an archive of numpy's arrays, and the binary format (.bin)
// of Bergamot's and Firefox's models.
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
  // The tensors by Marian's names, in the shapes that networks have here. Matrices that Marian
  // multiplies from the right ([in, out]) are transposed to [out, in]. Tables of a vocabulary stay
  // [vocabulary, d]. Rows ([1, n]) become [n]. 8-bit tensors (I8) hold their scale.
  TensorTable tensors;
  // The options of the model as YAML, "special:model.yml"; empty if the file has none.
  std::string_view options;
};

// Return INVALID_ARGUMENT naming `file`, the tensor and the fault, and UNIMPLEMENTED naming an
// unknown version or type. Tensors have no more elements than the file has bytes.
absl::StatusOr<MarianFile> ParseMarianNpz(std::span<const uint8_t> bytes, std::string_view file);
absl::StatusOr<MarianFile> ParseMarianBinary(std::span<const uint8_t> bytes, std::string_view file);

// Reports whether a file that begins with these bytes has the binary format, in any version.
bool IsMarianBinary(std::span<const uint8_t> head);
// The number of bytes that IsMarianBinary needs.
inline constexpr size_t kMarianHeadBytes = 8;

}  // namespace dragoman::engine
