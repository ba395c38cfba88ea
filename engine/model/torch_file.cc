#include "engine/model/torch_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "engine/model/concat.h"
#include "engine/model/pickle.h"
#include "engine/model/zip_directory.h"

namespace dragoman {
namespace {

using Kind = PickleNode::Kind;

struct StorageType {
  std::string_view global;
  DType dtype;
};

constexpr std::array<StorageType, 10> kStorageTypes = {{
    {"torch.FloatStorage", DType::kF32},
    {"torch.HalfStorage", DType::kF16},
    {"torch.BFloat16Storage", DType::kBF16},
    {"torch.DoubleStorage", DType::kF64},
    {"torch.LongStorage", DType::kI64},
    {"torch.IntStorage", DType::kI32},
    {"torch.ShortStorage", DType::kI16},
    {"torch.CharStorage", DType::kI8},
    {"torch.ByteStorage", DType::kU8},
    {"torch.BoolStorage", DType::kBool},
}};

constexpr std::string_view kOrderedDict = "collections.OrderedDict";
constexpr std::string_view kRebuildTensor = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view kRebuildParameter = "torch._utils._rebuild_parameter";
constexpr std::string_view kTorchSize = "torch.Size";

constexpr std::array<std::string_view, 14> kGlobals = {
    kOrderedDict,         kRebuildTensor,      kRebuildParameter,       kTorchSize,
    "torch.FloatStorage", "torch.HalfStorage", "torch.BFloat16Storage", "torch.DoubleStorage",
    "torch.LongStorage",  "torch.IntStorage",  "torch.ShortStorage",    "torch.CharStorage",
    "torch.ByteStorage",  "torch.BoolStorage",
};

constexpr size_t kMaxNameBytes = 512;

absl::Status Broken(std::string_view file, std::string_view what) {
  return absl::InvalidArgumentError(Concat(file, ": ", what));
}

// Names come from the file: shown short and printable.
std::string Shown(std::string_view name) {
  return absl::CHexEscape(std::string(name.substr(0, 128)));
}

// A storage as the pickle describes it. Its bytes come later in the older format.
struct Storage {
  DType dtype;
  int64_t numel;
  std::span<const uint8_t> bytes;
};

struct PendingTensor {
  std::string name;
  std::string storage;  // key
  int64_t offset = 0;   // in elements
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
};

struct StateDict {
  std::vector<PendingTensor> tensors;
  std::map<std::string, Storage, std::less<>> storages;
};

// Reads the state dict out of the pickle's tree.
class StateDictReader {
 public:
  StateDictReader(const Pickle& pickle, std::string_view file) : pickle_(pickle), file_(file) {}

  absl::StatusOr<StateDict> Read() {
    const PickleNode& root = pickle_.root();
    const bool is_ordered_dict = IsCall(root, kOrderedDict);
    if (root.kind != Kind::kDict && !is_ordered_dict) {
      return Broken(file_,
                    Concat("holds ", PickleKindName(root.kind), ", expected a dict of tensors"));
    }
    if (is_ordered_dict && !pickle_.node(root.items[1]).items.empty()) {
      return Broken(file_, "an OrderedDict made from arguments, expected an empty one");
    }
    for (size_t i = is_ordered_dict ? 2 : 0; i < root.items.size(); i += 2) {
      const PickleNode& key = pickle_.node(root.items[i]);
      if (key.kind != Kind::kString || key.text.size() > kMaxNameBytes) {
        return Broken(file_, Concat("a key of the dict is ", PickleKindName(key.kind),
                                    ", expected a string of at most ", kMaxNameBytes, " bytes"));
      }
      PendingTensor tensor{.name = std::string(key.text)};
      const absl::Status status = ReadTensor(pickle_.node(root.items[i + 1]), &tensor);
      if (!status.ok()) {
        return Broken(file_, Concat("tensor '", Shown(tensor.name), "': ", status.message()));
      }
      dict_.tensors.push_back(std::move(tensor));
    }
    return std::move(dict_);
  }

 private:
  bool IsCall(const PickleNode& node, std::string_view global) const {
    return node.kind == Kind::kCall && pickle_.node(node.items[0]).text == global;
  }

  // The arguments of a call; they are a tuple, which the parser checked.
  const std::vector<PickleId>& Arguments(const PickleNode& call) const {
    return pickle_.node(call.items[1]).items;
  }

  absl::Status ReadTensor(const PickleNode& value, PendingTensor* tensor) {
    const PickleNode* call = &value;
    if (IsCall(*call, kRebuildParameter) && !Arguments(*call).empty()) {
      call = &pickle_.node(Arguments(*call)[0]);
    }
    if (!IsCall(*call, kRebuildTensor)) {
      return absl::InvalidArgumentError(
          Concat("is ", PickleKindName(call->kind), ", expected a tensor"));
    }
    // storage, offset, shape, strides, requires_grad, hooks[, metadata]
    const std::vector<PickleId>& arguments = Arguments(*call);
    if (arguments.size() < 6) {
      return absl::InvalidArgumentError("is built from too few arguments");
    }
    const PickleNode& offset = pickle_.node(arguments[1]);
    if (offset.kind != Kind::kInt || offset.number < 0) {
      return absl::InvalidArgumentError("has no valid offset");
    }
    tensor->offset = offset.number;
    if (!ReadSizes(pickle_.node(arguments[2]), &tensor->shape) ||
        !ReadSizes(pickle_.node(arguments[3]), &tensor->strides) ||
        tensor->shape.size() != tensor->strides.size()) {
      return absl::InvalidArgumentError("has no valid shape and strides");
    }
    const absl::Status status = ReadStorage(pickle_.node(arguments[0]), &tensor->storage);
    if (!status.ok()) return status;
    return CheckExtent(*tensor, dict_.storages.find(tensor->storage)->second);
  }

  bool ReadSizes(const PickleNode& node, std::vector<int64_t>* sizes) const {
    const PickleNode* tuple = &node;
    if (IsCall(*tuple, kTorchSize) && Arguments(*tuple).size() == 1) {
      tuple = &pickle_.node(Arguments(*tuple)[0]);
    }
    if (tuple->kind != Kind::kTuple) return false;
    for (const PickleId id : tuple->items) {
      const PickleNode& size = pickle_.node(id);
      if (size.kind != Kind::kInt || size.number < 0) return false;
      sizes->push_back(size.number);
    }
    return true;
  }

  // ('storage', type, key, location, elements[, view])
  absl::Status ReadStorage(const PickleNode& node, std::string* key) {
    const auto invalid = [](const std::string& what) { return absl::InvalidArgumentError(what); };
    if (node.kind != Kind::kPersistent) return invalid("has no storage");
    const PickleNode& id = pickle_.node(node.items[0]);
    if (id.kind != Kind::kTuple || id.items.size() < 5 || id.items.size() > 6) {
      return invalid("has a storage without valid description");
    }
    const PickleNode& type = pickle_.node(id.items[1]);
    const PickleNode& name = pickle_.node(id.items[2]);
    const PickleNode& numel = pickle_.node(id.items[4]);
    if (pickle_.node(id.items[0]).text != "storage" || type.kind != Kind::kGlobal ||
        name.kind != Kind::kString || name.text.size() > kMaxNameBytes ||
        numel.kind != Kind::kInt || numel.number < 0) {
      return invalid("has a storage without valid description");
    }
    if (id.items.size() == 6 && pickle_.node(id.items[5]).kind != Kind::kNone) {
      return invalid("has a storage that is a view of another (PyTorch 0.3 and older)");
    }
    const auto* known =
        std::find_if(kStorageTypes.begin(), kStorageTypes.end(),
                     [&](const StorageType& candidate) { return candidate.global == type.text; });
    if (known == kStorageTypes.end()) {
      return invalid(Concat("has a storage of type ", type.text, ", which is none"));
    }
    int64_t bytes = 0;
    if (__builtin_mul_overflow(numel.number, static_cast<int64_t>(DTypeSize(known->dtype)),
                               &bytes)) {
      return invalid(Concat("has a storage of ", numel.number, " elements"));
    }
    *key = std::string(name.text);
    const auto [found, added] =
        dict_.storages.emplace(*key, Storage{.dtype = known->dtype, .numel = numel.number});
    if (!added && (found->second.dtype != known->dtype || found->second.numel != numel.number)) {
      return invalid(
          Concat("describes storage '", Shown(*key), "' differently than another tensor does"));
    }
    return absl::OkStatus();
  }

  static absl::Status CheckExtent(const PendingTensor& tensor, const Storage& storage) {
    const absl::StatusOr<int64_t> numel = CheckedNumel(tensor.shape);
    if (!numel.ok()) return numel.status();
    // A few bytes repeated by stride 0 could ask for any amount of memory.
    bool inside = *numel <= storage.numel;
    int64_t last = tensor.offset;
    for (size_t i = 0; inside && *numel > 0 && i < tensor.shape.size(); ++i) {
      int64_t step = 0;
      inside = !__builtin_mul_overflow(tensor.shape[i] - 1, tensor.strides[i], &step) &&
               !__builtin_add_overflow(last, step, &last);
    }
    inside = inside && (*numel == 0 ? last <= storage.numel : last < storage.numel);
    if (inside) return absl::OkStatus();
    return absl::InvalidArgumentError(Concat(
        "shape ", ShapeString(tensor.shape), " with strides ", ShapeString(tensor.strides), " at ",
        tensor.offset, " does not lie in its storage of ", storage.numel, " elements"));
  }

  const Pickle& pickle_;
  std::string_view file_;
  StateDict dict_;
};

// The views, once every storage has its bytes.
absl::StatusOr<TensorTable> MakeTable(const StateDict& dict, std::string_view file) {
  TensorTable table;
  for (const PendingTensor& tensor : dict.tensors) {
    const Storage& storage = dict.storages.find(tensor.storage)->second;
    const auto skip =
        static_cast<size_t>(tensor.offset) * static_cast<size_t>(DTypeSize(storage.dtype));
    TensorView view{.dtype = storage.dtype,
                    .shape = tensor.shape,
                    .strides = tensor.strides,
                    .data = storage.bytes.subspan(skip)};
    if (!table.emplace(tensor.name, std::move(view)).second) {
      return Broken(file, Concat("tensor '", Shown(tensor.name), "' is there twice"));
    }
  }
  return table;
}

absl::StatusOr<TensorTable> ParseZip(std::span<const uint8_t> bytes, std::string_view file) {
  const absl::StatusOr<ZipDirectory> directory = ReadZipDirectory(bytes, file);
  if (!directory.ok()) return directory.status();
  // All entries lie in one folder, whose name is that of the file that was saved.
  constexpr std::string_view kPickleName = "data.pkl";
  const auto found = std::find_if(directory->begin(), directory->end(), [&](const auto& entry) {
    const std::string& name = entry.first;
    return name == kPickleName ||
           (name.ends_with("/data.pkl") && name.find('/') == name.size() - kPickleName.size() - 1);
  });
  if (found == directory->end()) return Broken(file, "a zip archive without data.pkl");
  const std::string folder = found->first.substr(0, found->first.size() - kPickleName.size());

  if (const auto order = directory->find(folder + "byteorder"); order != directory->end()) {
    const std::string_view text(reinterpret_cast<const char*>(order->second.data()),
                                order->second.size());
    if (text != "little") {
      return Broken(file, Concat("byte order is '", Shown(text), "', expected 'little'"));
    }
  }
  const std::string pickle_name = Concat(file, "(", Shown(found->first), ")");
  const absl::StatusOr<Pickle> pickle = ParsePickle(found->second, pickle_name, kGlobals);
  if (!pickle.ok()) return pickle.status();
  absl::StatusOr<StateDict> dict = StateDictReader(*pickle, file).Read();
  if (!dict.ok()) return dict.status();
  for (auto& [key, storage] : dict->storages) {
    const auto entry = directory->find(Concat(folder, "data/", key));
    if (entry == directory->end()) {
      return Broken(file, Concat("storage '", Shown(key), "' is missing"));
    }
    storage.bytes = entry->second;
    const auto expected =
        static_cast<size_t>(storage.numel) * static_cast<size_t>(DTypeSize(storage.dtype));
    if (storage.bytes.size() != expected) {
      return Broken(file, Concat("storage '", Shown(key), "' has ", storage.bytes.size(),
                                 " bytes, expected ", expected));
    }
  }
  return MakeTable(*dict, file);
}

// torch/serialization.py: MAGIC_NUMBER and PROTOCOL_VERSION.
constexpr std::string_view kStreamMagic("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 10);
constexpr int64_t kStreamProtocol = 1001;

// The value of a key of a dict, if it is there.
const PickleNode* DictValue(const Pickle& pickle, std::string_view key) {
  const PickleNode& root = pickle.root();
  if (root.kind != Kind::kDict) return nullptr;
  for (size_t i = 0; i < root.items.size(); i += 2) {
    if (pickle.node(root.items[i]).text == key) return &pickle.node(root.items[i + 1]);
  }
  return nullptr;
}

// Gives the storages their bytes: for each key, in the order of the list, the number of elements
// and the elements.
absl::Status ReadRawStorages(const Pickle& keys, std::span<const uint8_t> bytes,
                             std::string_view file, StateDict* dict) {
  if (keys.root().kind != Kind::kList) return Broken(file, "has no list of storages");
  size_t placed = 0;
  for (const PickleId id : keys.root().items) {
    const PickleNode& key = keys.node(id);
    const auto found =
        key.kind == Kind::kString ? dict->storages.find(key.text) : dict->storages.end();
    if (found == dict->storages.end()) {
      return Broken(file, Concat("lists storage '", Shown(key.text), "', which no tensor uses"));
    }
    Storage& storage = found->second;
    if (storage.bytes.data() != nullptr) {
      return Broken(file, Concat("storage '", Shown(key.text), "' is there twice"));
    }
    int64_t numel = 0;
    if (bytes.size() < sizeof(numel)) {
      return Broken(file, Concat("cut short before storage '", Shown(key.text), "'"));
    }
    std::memcpy(&numel, bytes.data(), sizeof(numel));
    bytes = bytes.subspan(sizeof(numel));
    if (numel != storage.numel) {
      return Broken(file, Concat("storage '", Shown(key.text), "' has ", numel,
                                 " elements, expected ", storage.numel));
    }
    const auto size = static_cast<size_t>(numel) * static_cast<size_t>(DTypeSize(storage.dtype));
    if (bytes.size() < size) {
      return Broken(file, Concat("cut short in storage '", Shown(key.text), "': ", bytes.size(),
                                 " bytes left, expected ", size));
    }
    storage.bytes = bytes.subspan(0, size);
    bytes = bytes.subspan(size);
    ++placed;
  }
  if (placed != dict->storages.size()) {
    return Broken(
        file, Concat("lists ", placed, " storages, but the tensors use ", dict->storages.size()));
  }
  if (!bytes.empty()) {
    return Broken(file, Concat(bytes.size(), " bytes after the last storage"));
  }
  return absl::OkStatus();
}

absl::StatusOr<TensorTable> ParseStream(std::span<const uint8_t> bytes, std::string_view file) {
  const auto next = [&bytes, file]() -> absl::StatusOr<Pickle> {
    absl::StatusOr<Pickle> pickle = ParsePickle(bytes, file, kGlobals);
    if (pickle.ok()) bytes = bytes.subspan(pickle->bytes_used());
    return pickle;
  };
  const absl::StatusOr<Pickle> magic = next();
  if (!magic.ok() || magic->root().kind != Kind::kBigInt || magic->root().text != kStreamMagic) {
    return Broken(file, "not a file that torch.save wrote");
  }
  const absl::StatusOr<Pickle> protocol = next();
  if (!protocol.ok()) return protocol.status();
  if (protocol->root().kind != Kind::kInt || protocol->root().number != kStreamProtocol) {
    return Broken(file, Concat("protocol version is ", protocol->root().number, ", expected ",
                               kStreamProtocol));
  }
  const absl::StatusOr<Pickle> system = next();
  if (!system.ok()) return system.status();
  const PickleNode* little = DictValue(*system, "little_endian");
  if (little == nullptr || little->kind != Kind::kBool || little->number != 1) {
    return Broken(file, "was not written on a little-endian machine");
  }
  const absl::StatusOr<Pickle> pickle = next();
  if (!pickle.ok()) return pickle.status();
  absl::StatusOr<StateDict> dict = StateDictReader(*pickle, file).Read();
  if (!dict.ok()) return dict.status();
  const absl::StatusOr<Pickle> keys = next();
  if (!keys.ok()) return keys.status();
  if (absl::Status status = ReadRawStorages(*keys, bytes, file, &*dict); !status.ok()) {
    return status;
  }
  return MakeTable(*dict, file);
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

}  // namespace dragoman
