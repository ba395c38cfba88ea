// Reader of numpy's .npz files: a zip archive (zip_directory.h) of .npy arrays, each with its own
// header.
//
// Nothing is copied: the table borrows the bytes. Thread-safety: a pure function.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/model/formats/tensor_file.h"

namespace dragoman {

// The arrays by their names, without ".npy". INVALID_ARGUMENT names `file`, the array and what is
// wrong with it; UNIMPLEMENTED names a type that is not known, or big-endian numbers.
absl::StatusOr<TensorTable> ParseNpzFile(std::span<const uint8_t> bytes, std::string_view file);

}  // namespace dragoman
