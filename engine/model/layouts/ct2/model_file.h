// Reads CTranslate2's model.bin, versions 1 to 6. The file has the variables of a model (named
// tensors and attributes), further names for some of them (aliases), and the name of the
// specification that defines the variables.
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
  int version = 0;   // the version of the file format
  std::string spec;  // "TransformerSpec"; "" in version 1
  int revision = 0;  // the revision of the specification
  // Variables by name; an alias has an entry too. A quantized variable (I8, I16) has its scales in
  // TensorView::scales, and the scales' own variable has no entry. Revision 1 uses the names of
  // OpenNMT-tf; they are replaced by those of later revisions.
  TensorTable tensors;
};

// Returns INVALID_ARGUMENT, which names `file`, the variable and the fault, if the file is invalid.
// Returns UNIMPLEMENTED for an unknown version or data type. Refuses aliases that together have
// more than twice as many elements as the variables: no more are needed if the three embedding
// matrices are one variable.
absl::StatusOr<Ct2ModelFile> ParseCt2ModelFile(std::span<const uint8_t> bytes,
                                               std::string_view file);

}  // namespace dragoman::engine
