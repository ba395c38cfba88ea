// Reader of numpy's .npz: a zip archive (zip_directory.h) of arrays, .npy, each with a header of its
// own.
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
// wrong with it; UNIMPLEMENTED a type that is not known, or numbers that are big-endian.
absl::StatusOr<TensorTable> ParseNpzFile(std::span<const uint8_t> bytes, std::string_view file);

}  // namespace dragoman
