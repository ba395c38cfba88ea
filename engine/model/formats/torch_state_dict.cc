#include "engine/model/formats/torch_state_dict.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "absl/strings/escaping.h"
#include "engine/base/concat.h"

namespace dragoman::engine {
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

class StateDictReader {
 public:
  StateDictReader(const Pickle& pickle, std::string_view file) : pickle_(pickle), file_(file) {}

  absl::StatusOr<TorchStateDict> Read() {
    const PickleNode& root = pickle_.root();
    const bool is_ordered_dict = IsCall(root, kOrderedDict);
    if (root.kind != Kind::kDict && !is_ordered_dict) {
      return BrokenTorchFile(
          file_, Concat("holds ", PickleKindName(root.kind), ", expected a dict of tensors"));
    }
    if (is_ordered_dict && !pickle_.node(root.items[1]).items.empty()) {
      return BrokenTorchFile(file_, "an OrderedDict made from arguments, expected an empty one");
    }
    for (size_t i = is_ordered_dict ? 2 : 0; i < root.items.size(); i += 2) {
      const PickleNode& key = pickle_.node(root.items[i]);
      if (key.kind != Kind::kString || key.text.size() > kMaxTensorNameBytes) {
        return BrokenTorchFile(
            file_, Concat("a key of the dict is ", PickleKindName(key.kind),
                          ", expected a string of at most ", kMaxTensorNameBytes, " bytes"));
      }
      PendingTensor tensor{.name = std::string(key.text)};
      const absl::Status status = ReadTensor(pickle_.node(root.items[i + 1]), &tensor);
      if (!status.ok()) {
        return BrokenTorchFile(file_,
                               Concat("tensor '", ShownName(tensor.name), "': ", status.message()));
      }
      dict_.tensors.push_back(std::move(tensor));
    }
    return std::move(dict_);
  }

 private:
  bool IsCall(const PickleNode& node, std::string_view global) const {
    return node.kind == Kind::kCall && pickle_.node(node.items[0]).text == global;
  }

  // Returns the arguments of a call. The parser has checked that they are a tuple.
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
    // The arguments: storage, offset, shape, strides, requires_grad, hooks[, metadata].
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
    absl::Status status = ReadStorage(pickle_.node(arguments[0]), &tensor->storage);
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

  // Reads a persistent id: ('storage', type, key, location, elements[, view]). Sets `key`.
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
        name.kind != Kind::kString || name.text.size() > kMaxTensorNameBytes ||
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
      return invalid(Concat("has a storage of type ", type.text, ", which is not known"));
    }
    int64_t bytes = 0;
    if (__builtin_mul_overflow(numel.number, static_cast<int64_t>(DTypeSize(known->dtype)),
                               &bytes)) {
      return invalid(Concat("has a storage of ", numel.number, " elements"));
    }
    *key = std::string(name.text);
    const auto [found, added] =
        dict_.storages.emplace(*key, TorchStorage{.dtype = known->dtype, .numel = numel.number});
    if (!added && (found->second.dtype != known->dtype || found->second.numel != numel.number)) {
      return invalid(
          Concat("describes storage '", ShownName(*key), "' differently from another tensor"));
    }
    return absl::OkStatus();
  }

  static absl::Status CheckExtent(const PendingTensor& tensor, const TorchStorage& storage) {
    const absl::StatusOr<int64_t> numel = CheckedNumel(tensor.shape);
    if (!numel.ok()) return numel.status();
    // A tensor may not have more elements than its storage. Without this check, strides of 0 would
    // let a small file describe a tensor of any size.
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
  TorchStateDict dict_;
};

}  // namespace

std::span<const std::string_view> TorchGlobals() { return kGlobals; }

absl::StatusOr<TorchStateDict> ReadTorchStateDict(const Pickle& pickle, std::string_view file) {
  return StateDictReader(pickle, file).Read();
}

absl::StatusOr<TensorTable> MakeTensorTable(const TorchStateDict& dict, std::string_view file) {
  TensorTable table;
  for (const PendingTensor& tensor : dict.tensors) {
    const TorchStorage& storage = dict.storages.find(tensor.storage)->second;
    const auto skip =
        static_cast<size_t>(tensor.offset) * static_cast<size_t>(DTypeSize(storage.dtype));
    TensorView view{.dtype = storage.dtype,
                    .shape = tensor.shape,
                    .strides = tensor.strides,
                    .data = storage.bytes.subspan(skip)};
    if (!table.emplace(tensor.name, std::move(view)).second) {
      return BrokenTorchFile(file, Concat("tensor '", ShownName(tensor.name), "' appears twice"));
    }
  }
  return table;
}

absl::Status BrokenTorchFile(std::string_view file, std::string_view what) {
  return absl::InvalidArgumentError(Concat(file, ": ", what));
}

std::string ShownName(std::string_view name) {
  return absl::CHexEscape(std::string(name.substr(0, 128)));
}

}  // namespace dragoman::engine
