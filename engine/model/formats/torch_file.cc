#include "engine/model/formats/tensor_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/formats/pickle.h"
#include "engine/model/formats/torch_state_dict.h"
#include "engine/model/formats/zip_directory.h"

namespace dragoman::engine {
namespace {

using Kind = PickleNode::Kind;

absl::StatusOr<TensorTable> ParseZip(std::span<const uint8_t> bytes, std::string_view file) {
  const absl::StatusOr<ZipDirectory> directory = ReadZipDirectory(bytes, file);
  if (!directory.ok()) return directory.status();
  // All entries of the zip archive are in one folder, whose name is that of the saved file.
  constexpr std::string_view kPickleName = "data.pkl";
  const auto found = std::find_if(directory->begin(), directory->end(), [&](const auto& entry) {
    const std::string& name = entry.first;
    return name == kPickleName ||
           (name.ends_with("/data.pkl") && name.find('/') == name.size() - kPickleName.size() - 1);
  });
  if (found == directory->end()) return BrokenTorchFile(file, "a zip archive without data.pkl");
  const std::string folder = found->first.substr(0, found->first.size() - kPickleName.size());

  if (const auto order = directory->find(folder + "byteorder"); order != directory->end()) {
    const std::string_view text(reinterpret_cast<const char*>(order->second.data()),
                                order->second.size());
    if (text != "little") {
      return BrokenTorchFile(file,
                             Concat("byte order is '", ShownName(text), "', expected 'little'"));
    }
  }
  const std::string pickle_name = Concat(file, "(", ShownName(found->first), ")");
  const absl::StatusOr<Pickle> pickle = ParsePickle(found->second, pickle_name, TorchGlobals());
  if (!pickle.ok()) return pickle.status();
  absl::StatusOr<TorchStateDict> dict = ReadTorchStateDict(*pickle, file);
  if (!dict.ok()) return dict.status();
  for (auto& [key, storage] : dict->storages) {
    const auto entry = directory->find(Concat(folder, "data/", key));
    if (entry == directory->end()) {
      return BrokenTorchFile(file, Concat("storage '", ShownName(key), "' is missing"));
    }
    storage.bytes = entry->second;
    const auto expected =
        static_cast<size_t>(storage.numel) * static_cast<size_t>(DTypeSize(storage.dtype));
    if (storage.bytes.size() != expected) {
      return BrokenTorchFile(file, Concat("storage '", ShownName(key), "' has ",
                                          storage.bytes.size(), " bytes, expected ", expected));
    }
  }
  return MakeTensorTable(*dict, file);
}

// MAGIC_NUMBER and PROTOCOL_VERSION of torch/serialization.py.
constexpr std::string_view kStreamMagic("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 10);
constexpr int64_t kStreamProtocol = 1001;

// Returns the value of `key` in the root, which must be a dict, or nullptr.
const PickleNode* DictValue(const Pickle& pickle, std::string_view key) {
  const PickleNode& root = pickle.root();
  if (root.kind != Kind::kDict) return nullptr;
  for (size_t i = 0; i < root.items.size(); i += 2) {
    if (pickle.node(root.items[i]).text == key) return &pickle.node(root.items[i + 1]);
  }
  return nullptr;
}

// Sets the bytes of the storages. `bytes` has one block for each storage, in the order of `keys`:
// the number of elements, then the elements.
absl::Status ReadRawStorages(const Pickle& keys, std::span<const uint8_t> bytes,
                             std::string_view file, TorchStateDict* dict) {
  if (keys.root().kind != Kind::kList) return BrokenTorchFile(file, "has no list of storages");
  size_t placed = 0;
  for (const PickleId id : keys.root().items) {
    const PickleNode& key = keys.node(id);
    const auto found =
        key.kind == Kind::kString ? dict->storages.find(key.text) : dict->storages.end();
    if (found == dict->storages.end()) {
      return BrokenTorchFile(
          file, Concat("lists storage '", ShownName(key.text), "', which no tensor uses"));
    }
    TorchStorage& storage = found->second;
    if (storage.bytes.data() != nullptr) {
      return BrokenTorchFile(file, Concat("storage '", ShownName(key.text), "' appears twice"));
    }
    int64_t numel = 0;
    if (bytes.size() < sizeof(numel)) {
      return BrokenTorchFile(file, Concat("cut short before storage '", ShownName(key.text), "'"));
    }
    std::memcpy(&numel, bytes.data(), sizeof(numel));
    bytes = bytes.subspan(sizeof(numel));
    if (numel != storage.numel) {
      return BrokenTorchFile(file, Concat("storage '", ShownName(key.text), "' has ", numel,
                                          " elements, expected ", storage.numel));
    }
    const auto size = static_cast<size_t>(numel) * static_cast<size_t>(DTypeSize(storage.dtype));
    if (bytes.size() < size) {
      return BrokenTorchFile(file, Concat("cut short in storage '", ShownName(key.text),
                                          "': ", bytes.size(), " bytes left, expected ", size));
    }
    storage.bytes = bytes.subspan(0, size);
    bytes = bytes.subspan(size);
    ++placed;
  }
  if (placed != dict->storages.size()) {
    return BrokenTorchFile(
        file, Concat("lists ", placed, " storages, but the tensors use ", dict->storages.size()));
  }
  if (!bytes.empty()) {
    return BrokenTorchFile(file, Concat(bytes.size(), " bytes after the last storage"));
  }
  return absl::OkStatus();
}

absl::StatusOr<TensorTable> ParseStream(std::span<const uint8_t> bytes, std::string_view file) {
  const auto next = [&bytes, file]() -> absl::StatusOr<Pickle> {
    absl::StatusOr<Pickle> pickle = ParsePickle(bytes, file, TorchGlobals());
    if (pickle.ok()) bytes = bytes.subspan(pickle->bytes_used);
    return pickle;
  };
  const absl::StatusOr<Pickle> magic = next();
  if (!magic.ok() || magic->root().kind != Kind::kBigInt || magic->root().text != kStreamMagic) {
    return BrokenTorchFile(file, "not a file that torch.save wrote");
  }
  const absl::StatusOr<Pickle> protocol = next();
  if (!protocol.ok()) return protocol.status();
  if (protocol->root().kind != Kind::kInt || protocol->root().number != kStreamProtocol) {
    return BrokenTorchFile(file, Concat("protocol version is ", protocol->root().number,
                                        ", expected ", kStreamProtocol));
  }
  const absl::StatusOr<Pickle> system = next();
  if (!system.ok()) return system.status();
  const PickleNode* little = DictValue(*system, "little_endian");
  if (little == nullptr || little->kind != Kind::kBool || little->number != 1) {
    return BrokenTorchFile(file, "was not written on a little-endian machine");
  }
  const absl::StatusOr<Pickle> pickle = next();
  if (!pickle.ok()) return pickle.status();
  absl::StatusOr<TorchStateDict> dict = ReadTorchStateDict(*pickle, file);
  if (!dict.ok()) return dict.status();
  const absl::StatusOr<Pickle> keys = next();
  if (!keys.ok()) return keys.status();
  if (absl::Status status = ReadRawStorages(*keys, bytes, file, &*dict); !status.ok()) {
    return status;
  }
  return MakeTensorTable(*dict, file);
}

}  // namespace

absl::StatusOr<TensorTable> ParseTorchFile(std::span<const uint8_t> bytes, std::string_view file) {
  constexpr std::array<uint8_t, 4> kZipStart = {'P', 'K', 3, 4};
  if (bytes.size() >= kZipStart.size() &&
      std::equal(kZipStart.begin(), kZipStart.end(), bytes.begin())) {
    return ParseZip(bytes, file);
  }
  return ParseStream(bytes, file);
}

}  // namespace dragoman::engine
