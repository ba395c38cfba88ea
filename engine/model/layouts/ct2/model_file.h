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
  // Variables by name. An alias has an entry too. A quantized variable (I8, I16) has its scales in
  // TensorView::scales, and the variable of the scales has no entry. The names are those of later
  // revisions even in a file of revision 1, which has the names of OpenNMT-tf.
  TensorTable tensors;
};

// Returns INVALID_ARGUMENT, which names `file`, the variable and the fault, if the file is invalid.
// Returns UNIMPLEMENTED for an unknown version or data type. Returns INVALID_ARGUMENT if the
// aliases together have more than twice as many elements as the variables. A valid file never needs
// more: even if the three embedding matrices are one variable, it has only two aliases.
absl::StatusOr<Ct2ModelFile> ParseCt2ModelFile(std::span<const uint8_t> bytes,
                                               std::string_view file);

}  // namespace dragoman::engine
