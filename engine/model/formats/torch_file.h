// Reader of pytorch_model.bin, in both formats of torch.save: the zip archive (PyTorch 1.6 and
// later) and the older stream (magic number, protocol, system info, pickled dict, storage keys, raw
// storages). Executes nothing: see pickle.h. Tensors are read in place.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/model/formats/tensor_file.h"

namespace dragoman {

// The tensors of the state dict in `bytes`, which is borrowed. Tensors may share storages and be
// strided. INVALID_ARGUMENT names `file`, the tensor or storage, and what is wrong.
absl::StatusOr<TensorTable> ParseTorchFile(std::span<const uint8_t> bytes, std::string_view file);

}  // namespace dragoman
