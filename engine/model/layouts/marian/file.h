// Readers of Marian's model files: model.npz, an archive of numpy's arrays, and the binary format,
// .bin, in which Bergamot's and Firefox's models are.
//
// Nothing is copied: the tensors borrow the bytes. Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/model/formats/tensor_file.h"

namespace dragoman {

struct MarianFile {
  // By Marian's names, turned to how networks have them here: what Marian multiplies from the right
  // ([in, out]) is [out, in], tables of a vocabulary stay [vocabulary, d], and rows ([1, n]) are [n].
  // 8-bit numbers (I8) hold their scale.
  TensorTable tensors;
  // The options of the model as YAML, "special:model.yml"; empty where the file has none.
  std::string_view options;
};

// INVALID_ARGUMENT names `file`, the tensor and what is wrong with it; UNIMPLEMENTED a version or a
// type that is not known. Tensors have no more elements than the file has bytes.
absl::StatusOr<MarianFile> ParseMarianNpz(std::span<const uint8_t> bytes, std::string_view file);
absl::StatusOr<MarianFile> ParseMarianBinary(std::span<const uint8_t> bytes, std::string_view file);

// Whether a file that begins with these bytes is of the binary format, of whatever version.
bool IsMarianBinary(std::span<const uint8_t> head);
// What IsMarianBinary looks at.
inline constexpr size_t kMarianHeadBytes = 8;

}  // namespace dragoman
