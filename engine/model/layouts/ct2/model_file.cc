#include "engine/model/layouts/ct2/model_file.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/formats/byte_reader.h"

namespace dragoman::engine {
namespace {

constexpr int kNewestVersion = 6;
constexpr int kOldestVersion = 1;
// The first version of the file format that stores the specification's name and revision. In older
// versions, the name is "" and the revision is 1.
constexpr int kFirstWithSpec = 2;
constexpr int kFirstWithAliases = 3;
// The first version that stores the type of a variable's elements. Older versions store only the
// size of an element.
constexpr int kFirstWithTypes = 4;
// The maximum number of variables. A model of 100 layers has some thousand.
constexpr uint32_t kMaxEntries = 1 << 16;
constexpr std::string_view kScaleSuffix = "_scale";
// The scale of every int16 weight in files that store none (CTranslate2's global_int16_scale).
constexpr float kGlobalInt16Scale = 1000;

// The types, indexed by their codes in the file.
constexpr std::array<DType, 6> kTypes = {DType::kF32, DType::kI8,  DType::kI16,
                                         DType::kI32, DType::kF16, DType::kBF16};

std::span<const uint8_t> BytesOf(const float& value) {
  return {reinterpret_cast<const uint8_t*>(&value), sizeof(value)};
}

// Returns the name that later revisions use for a variable of revision 1. Revision 1 has
// OpenNMT-tf's names. CTranslate2's map_v1_variable_name makes the same replacements: each one
// once, in this order.
std::string NameOfFirstRevision(std::string name) {
  constexpr std::pair<std::string_view, std::string_view> kReplaced[] = {
      {"transformer/", ""},
      {":0", ""},
      {"w_embs", "embeddings/weight"},
      {"kernel", "weight"},
      {"LayerNorm", "layer_norm"},
      {"dense", "projection"},
      {"conv1d_", "linear_"},
      {"conv1d", "linear_0"},
      {"masked_multi_head", "self_attention"}};
  const auto replace = [&name](std::string_view from, std::string_view to) {
    const size_t at = name.find(from);
    if (at != std::string::npos) name.replace(at, from.size(), to);
  };
  for (const auto& [from, to] : kReplaced) replace(from, to);
  const bool is_encoder = name.find("encoder") != std::string::npos;
  replace("multi_head", is_encoder ? "self_attention" : "attention");
  return name;
}

class Parser {
 public:
  Parser(std::span<const uint8_t> bytes, std::string_view file) : in_(bytes), file_(file) {}

  absl::StatusOr<Ct2ModelFile> Parse() {
    absl::Status status = ReadHead();
    if (status.ok()) status = ReadVariables();
    if (status.ok()) status = AttachScales();
    if (status.ok() && model_.version >= kFirstWithAliases) status = ReadAliases();
    if (status.ok() && in_.left() != 0) {
      status = Invalid(Concat(in_.left(), " bytes after the last entry, expected none"));
    }
    if (!status.ok()) return status;
    return std::move(model_);
  }

 private:
  absl::Status Invalid(std::string_view what) const {
    return absl::InvalidArgumentError(Concat(file_, ": ", what));
  }
  absl::Status Wrong(std::string_view variable, std::string_view what) const {
    return Invalid(Concat("variable '", variable, "' ", what));
  }
  absl::Status CutShort(std::string_view within) const {
    return Invalid(
        Concat("ends at byte ", in_.place() + in_.left(), " within ", within, ": it is cut short"));
  }

  absl::Status ReadString(std::string_view what, std::string* out) {
    uint16_t size = 0;
    std::span<const uint8_t> bytes;
    const size_t place = in_.place();
    if (!in_.Read(&size) || !in_.Take(size, &bytes)) return CutShort(what);
    // The stored size includes the NUL at the end.
    const bool ends = !bytes.empty() && std::find(bytes.begin(), bytes.end(), 0) == bytes.end() - 1;
    if (!ends || bytes.size() - 1 > kMaxTensorNameBytes) {
      return Invalid(Concat(what, " at byte ", place, " of ", size, " bytes, expected at most ",
                            kMaxTensorNameBytes, " and a NUL"));
    }
    out->assign(reinterpret_cast<const char*>(bytes.data()), bytes.size() - 1);
    return absl::OkStatus();
  }

  absl::Status ReadCount(std::string_view what, uint32_t* count) {
    if (!in_.Read(count)) return CutShort(Concat("the number of ", what));
    if (*count <= kMaxEntries) return absl::OkStatus();
    return Invalid(Concat(*count, " ", what, ", expected at most ", kMaxEntries));
  }

  absl::Status ReadHead() {
    uint32_t version = 0;
    if (!in_.Read(&version)) return CutShort("the version");
    if (version < kOldestVersion || version > kNewestVersion) {
      return absl::UnimplementedError(Concat(
          file_, ": version ", version, " of CTranslate2's model.bin, supported: ", kOldestVersion,
          " to ", kNewestVersion));
    }
    model_.version = static_cast<int>(version);
    model_.revision = 1;
    if (model_.version < kFirstWithSpec) return absl::OkStatus();
    absl::Status status = ReadString("the name of the specification", &model_.spec);
    if (!status.ok()) return status;
    uint32_t revision = 0;
    if (!in_.Read(&revision)) return CutShort("the revision of the specification");
    model_.revision = static_cast<int>(std::min<uint32_t>(revision, 1 << 16));
    return absl::OkStatus();
  }

  absl::StatusOr<DType> TypeOfItemSize(std::string_view name, uint8_t size) const {
    for (const DType type : {DType::kF32, DType::kI16, DType::kI8}) {
      if (DTypeSize(type) == size) return type;
    }
    return Wrong(name, Concat("has items of ", int{size}, " bytes, expected 1, 2 or 4"));
  }

  absl::Status ReadVariable() {
    std::string name;
    absl::Status status = ReadString("the name of a variable", &name);
    if (!status.ok()) return status;
    if (model_.revision == 1) name = NameOfFirstRevision(std::move(name));
    TensorView view;
    uint8_t rank = 0;
    if (!in_.Read(&rank)) return CutShort(Concat("variable '", name, "'"));
    for (int i = 0; i < rank; ++i) {
      uint32_t size = 0;
      if (!in_.Read(&size)) return CutShort(Concat("the shape of variable '", name, "'"));
      view.shape.push_back(size);
    }
    const absl::StatusOr<int64_t> numel = CheckedNumel(view.shape);
    if (!numel.ok()) return Wrong(name, Concat("has ", numel.status().message()));

    uint8_t kind = 0;
    uint32_t given = 0;
    if (!in_.Read(&kind) || !in_.Read(&given)) {
      return CutShort(Concat("the type of variable '", name, "'"));
    }
    uint64_t bytes = given;
    if (model_.version >= kFirstWithTypes) {
      if (kind >= kTypes.size()) {
        return absl::UnimplementedError(Concat(file_, ": variable '", name, "' has data type ",
                                               int{kind}, ", supported: 0 to ", kTypes.size() - 1));
      }
      view.dtype = kTypes[kind];
    } else {
      const absl::StatusOr<DType> type = TypeOfItemSize(name, kind);
      if (!type.ok()) return type.status();
      view.dtype = *type;
      bytes *= kind;
    }
    const auto size = static_cast<uint64_t>(DTypeSize(view.dtype));
    if (bytes % size != 0 || static_cast<uint64_t>(*numel) != bytes / size) {
      return Wrong(name,
                   Concat("of type ", DTypeName(view.dtype), " and shape ", ShapeString(view.shape),
                          " has ", bytes, " bytes of data, expected ", size, " for each element"));
    }
    if (!in_.Take(bytes, &view.data)) return CutShort(Concat("variable '", name, "'"));
    elements_ += static_cast<uint64_t>(*numel);
    view.strides = DenseStrides(view.shape);
    const auto [at, is_new] = model_.tensors.emplace(std::move(name), std::move(view));
    return is_new ? absl::OkStatus() : Wrong(at->first, "is there twice");
  }

  absl::Status ReadVariables() {
    uint32_t count = 0;
    absl::Status status = ReadCount("variables", &count);
    for (uint32_t i = 0; status.ok() && i < count; ++i) status = ReadVariable();
    return status;
  }

  // Sets TensorView::scales of each quantized variable: one scale for each row, or one for all
  // rows.
  absl::Status AttachScales() {
    TensorTable& tensors = model_.tensors;
    std::vector<std::string> attached;
    for (auto& [name, view] : tensors) {
      if (view.dtype != DType::kI8 && view.dtype != DType::kI16) continue;
      const auto scale = tensors.find(name + std::string(kScaleSuffix));
      // The variable is an attribute, or it is a weight without a scale, which the reader of the
      // weight reports.
      if (scale == tensors.end()) {
        const bool is_weight = name.ends_with("weight");
        if (view.dtype == DType::kI16 && is_weight) view.scales = BytesOf(kGlobalInt16Scale);
        continue;
      }
      const int64_t numel = scale->second.numel();
      const int64_t rows = view.shape.empty() ? 1 : view.shape[0];
      if (scale->second.dtype != DType::kF32 || (numel != 1 && numel != rows)) {
        return Wrong(scale->first, Concat("is ", DTypeName(scale->second.dtype), " ",
                                          ShapeString(scale->second.shape), ", expected F32 [",
                                          rows, "] or one number"));
      }
      view.scales = scale->second.data;
      attached.push_back(scale->first);
    }
    for (const std::string& name : attached) tensors.erase(name);
    return absl::OkStatus();
  }

  absl::Status ReadAliases() {
    uint32_t count = 0;
    absl::Status status = ReadCount("aliases", &count);
    uint64_t elements = 0;
    for (uint32_t i = 0; status.ok() && i < count; ++i) {
      std::string alias;
      std::string name;
      status = ReadString("the name of an alias", &alias);
      if (status.ok()) status = ReadString("the variable of an alias", &name);
      if (!status.ok()) return status;
      const auto variable = model_.tensors.find(name);
      if (variable == model_.tensors.end()) {
        // The alias names a scale, which AttachScales has made a part of its matrix.
        if (name.ends_with(kScaleSuffix)) continue;
        return Invalid(Concat("alias '", alias, "' is of '", name, "', which is not there"));
      }
      elements += static_cast<uint64_t>(variable->second.numel());
      if (elements > 2 * elements_) {
        return Invalid(Concat("alias '", alias, "': the aliases have more than twice the ",
                              elements_, " elements of the variables"));
      }
      TensorView view = variable->second;
      const auto [at, is_new] = model_.tensors.emplace(std::move(alias), std::move(view));
      if (!is_new) return Wrong(at->first, "is there twice");
    }
    return status;
  }

  ByteReader in_;
  const std::string_view file_;
  Ct2ModelFile model_;
  uint64_t elements_ = 0;  // the number of elements of all variables
};

}  // namespace

absl::StatusOr<Ct2ModelFile> ParseCt2ModelFile(std::span<const uint8_t> bytes,
                                               std::string_view file) {
  return Parser(bytes, file).Parse();
}

}  // namespace dragoman::engine
