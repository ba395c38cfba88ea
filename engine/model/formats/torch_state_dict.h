// Reads the pickle of a PyTorch state dict, which maps names to a model's tensors. A tensor is a
// strided view of a storage, which is an array of elements. Private to engine/model.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/model/formats/pickle.h"
#include "engine/model/formats/tensor_file.h"

namespace dragoman::engine {

// Returns the globals that ParsePickle accepts in a state dict's pickle.
std::span<const std::string_view> TorchGlobals();

// A storage as the pickle describes it. Its bytes are elsewhere in the file and are set after the
// pickle is read.
struct TorchStorage {
  DType dtype;
  int64_t numel;
  std::span<const uint8_t> bytes;
};

// A tensor whose TorchStorage::bytes may not be set yet. All elements of the tensor are inside the
// storage.
struct PendingTensor {
  std::string name;
  std::string storage;  // key of its storage
  int64_t offset = 0;   // in elements
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
};

struct TorchStateDict {
  std::vector<PendingTensor> tensors;
  std::map<std::string, TorchStorage, std::less<>> storages;
};

// Returns INVALID_ARGUMENT, which names `file` and the tensor, if the pickle is not a state dict.
absl::StatusOr<TorchStateDict> ReadTorchStateDict(const Pickle& pickle, std::string_view file);

// Makes the view of each tensor. REQUIRES: every storage has the bytes of all its elements.
absl::StatusOr<TensorTable> MakeTensorTable(const TorchStateDict& dict, std::string_view file);

// Returns INVALID_ARGUMENT with the message "file: what".
absl::Status BrokenTorchFile(std::string_view file, std::string_view what);

// Shortens a name from the file and makes it printable for an error message.
std::string ShownName(std::string_view name);

}  // namespace dragoman::engine
