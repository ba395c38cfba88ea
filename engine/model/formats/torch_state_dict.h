// Reads the pickle of a state dict: its tensors and their storages. Private to engine/model.
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

// The globals that a state dict's pickle may name.
std::span<const std::string_view> TorchGlobals();

// A storage as the pickle describes it. In the older format its bytes are set later.
struct TorchStorage {
  DType dtype;
  int64_t numel;
  std::span<const uint8_t> bytes;
};

// A tensor whose bytes are not known yet. It is known to be within its storage.
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

// Returns INVALID_ARGUMENT naming `file` and the tensor.
absl::StatusOr<TorchStateDict> ReadTorchStateDict(const Pickle& pickle, std::string_view file);

// Makes the views of the tensors. REQUIRES: every storage has the bytes of all its elements.
absl::StatusOr<TensorTable> MakeTensorTable(const TorchStateDict& dict, std::string_view file);

// Returns INVALID_ARGUMENT with the message "file: what".
absl::Status BrokenTorchFile(std::string_view file, std::string_view what);

// Returns a name from the file, shortened and made printable for a message.
std::string ShownName(std::string_view name);

}  // namespace dragoman::engine
