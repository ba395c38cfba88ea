// Reader of CTranslate2's model.bin, versions 1 to 6: the variables of a model, their aliases, and
// the name of the specification that says what they mean.
//
// Nothing is copied: the table borrows the bytes. Thread-safety: a pure function.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/model/formats/tensor_file.h"

namespace dragoman::engine {

struct Ct2ModelFile {
  int version = 0;   // of the container
  std::string spec;  // "TransformerSpec"; "" in version 1
  int revision = 0;  // of the specification
  // Variables under their names and aliases. Quantized ones (I8, I16) hold their scales, which have
  // no entry of their own. Names of revision 1, which are OpenNMT-tf's, are replaced by those of later
  // revisions.
  TensorTable tensors;
};

// INVALID_ARGUMENT names `file`, the variable and what is wrong with it; UNIMPLEMENTED names a version
// or a data type that is not known. The elements of aliases together are at most twice those of the
// variables: the three matrices of embeddings may be one.
absl::StatusOr<Ct2ModelFile> ParseCt2ModelFile(std::span<const uint8_t> bytes,
                                               std::string_view file);

}  // namespace dragoman::engine
