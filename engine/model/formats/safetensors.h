// Reader of safetensors files.
//
// Format: a little-endian uint64 with the header's size, the header (one JSON object: name ->
// {dtype, shape, data_offsets}, and "__metadata__"), then the data, which the tensors cover without
// hole or overlap, as the format demands.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/model/formats/tensor_file.h"

namespace dragoman {

// The tensors of `bytes`, which is borrowed. INVALID_ARGUMENT names `file` and what is wrong.
absl::StatusOr<TensorTable> ParseSafetensors(std::span<const uint8_t> bytes, std::string_view file);

}  // namespace dragoman
