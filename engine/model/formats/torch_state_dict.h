// Reads the pickle of a state dict: the tensors and the storages that they lie in. Private to
// engine/model.
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

// A storage as the pickle describes it. Its bytes come later in the older format.
struct TorchStorage {
  DType dtype;
  int64_t numel;
  std::span<const uint8_t> bytes;
};

// A tensor whose bytes are not known yet; it was checked to lie in its storage.
struct PendingTensor {
  std::string name;
  std::string storage;  // key
  int64_t offset = 0;   // in elements
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
};

struct TorchStateDict {
  std::vector<PendingTensor> tensors;
  std::map<std::string, TorchStorage, std::less<>> storages;
};

// INVALID_ARGUMENT names `file` and the tensor.
absl::StatusOr<TorchStateDict> ReadTorchStateDict(const Pickle& pickle, std::string_view file);

// Makes the views of the tensors. REQUIRES: every storage has the bytes of all its elements.
absl::StatusOr<TensorTable> MakeTensorTable(const TorchStateDict& dict, std::string_view file);

// INVALID_ARGUMENT with the message "file: what".
absl::Status BrokenTorchFile(std::string_view file, std::string_view what);

// A name from the file, shortened and made printable for a message.
std::string ShownName(std::string_view name);

}  // namespace dragoman::engine
