// Reads CTranslate2's model.bin, versions 1 to 6: the variables of a model, their aliases, and the
// name of the specification that defines them.
//
// Copies nothing: the table borrows the bytes. Thread-safety: a pure function.
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
  // Variables under their names and aliases. A quantized variable (I8, I16) holds its scales, which
  // have no entry. Names of revision 1, OpenNMT-tf's, are replaced by those of later revisions.
  TensorTable tensors;
};

// Returns INVALID_ARGUMENT naming `file`, the variable and the fault, and UNIMPLEMENTED naming an
// unknown version or data type. The elements of all aliases are at most twice those of the
// variables, because the three embedding matrices may be one.
absl::StatusOr<Ct2ModelFile> ParseCt2ModelFile(std::span<const uint8_t> bytes,
                                               std::string_view file);

}  // namespace dragoman::engine
