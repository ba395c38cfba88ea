#include "engine/model/layouts/marian/file.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/formats/byte_reader.h"

namespace dragoman::engine {
namespace {

constexpr std::string_view kOptions = "special:model.yml";
constexpr uint64_t kVersion = 1;
constexpr uint64_t kEncrypted = 2;
// The maximum number of tensors. A model of 100 layers has some thousand.
constexpr uint64_t kMaxItems = 1 << 16;
constexpr uint64_t kMaxDimensions = 8;

// The codes of types in the binary format. The upper byte is the class of the type, the lower byte
// its size in bytes.
constexpr uint64_t kInt8 = 0x0101;
constexpr uint64_t kFloat16 = 0x0402;
constexpr uint64_t kFloat32 = 0x0404;
// The codes of 8-bit weights for the library intgemm that are not rearranged for a processor.
// browsermt's Marian writes the first code, marian-nmt's Marian the second.
constexpr uint64_t kIntgemm8 = 0x4101;
constexpr uint64_t kIntgemm8OfMaster = 0x10001;

// Reports whether the tensor is a table with a row for each token or position. Such a table is not
// transposed: Marian looks up its rows, or multiplies by the transposed table, so its shape is
// already [out, in].
bool IsOfVocabulary(std::string_view name) {
  return name.ends_with("Wemb") || name == "Wpos" || name == "decoder_ff_logit_out_Wt";
}

bool IsMatrix(const std::vector<int64_t>& shape) { return shape.size() == 2 && shape[0] != 1; }

void DropFirstOfRow(TensorView* view) {
  while (view->shape.size() > 1 && view->shape.front() == 1) {
    view->shape.erase(view->shape.begin());
    view->strides.erase(view->strides.begin());
  }
}

// Makes the view that MarianFile::tensors documents: transposes the matrix of a product, and
// removes leading dimensions of size 1. REQUIRES: the view is row-major, as in the file.
void Turn(std::string_view name, TensorView* view) {
  if (IsMatrix(view->shape) && !IsOfVocabulary(name)) {
    std::swap(view->shape[0], view->shape[1]);
    std::swap(view->strides[0], view->strides[1]);
  }
  DropFirstOfRow(view);
}

// Returns the text of the options, which ends at the first NUL.
std::string_view TextOf(std::span<const uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.substr(0, text.find('\0'));
}

class BinaryParser {
 public:
  BinaryParser(std::span<const uint8_t> bytes, std::string_view file) : in_(bytes), file_(file) {}

  absl::StatusOr<MarianFile> Parse() {
    if (absl::Status status = ReadHeaders(); !status.ok()) return status;
    uint64_t offset = 0;
    std::span<const uint8_t> skipped;
    if (!in_.Read(&offset) || !in_.Take(offset, &skipped)) return CutShort();
    MarianFile model;
    for (Item& item : items_) {
      std::span<const uint8_t> data;
      if (!in_.Take(item.bytes, &data)) return CutShort();
      if (item.name == kOptions && item.type == kInt8) {
        model.options = TextOf(data);
        continue;
      }
      absl::StatusOr<TensorView> view = View(item, data);
      if (!view.ok()) return view.status();
      if (!model.tensors.emplace(item.name, *std::move(view)).second) {
        return Invalid(item.name, "is there twice");
      }
    }
    return model;
  }

 private:
  struct Item {
    std::string name;
    uint64_t type = 0;
    uint64_t name_bytes = 0;
    uint64_t dimensions = 0;
    uint64_t bytes = 0;
    std::vector<int64_t> shape;
  };

  absl::Status ReadHeaders() {
    uint64_t version = 0;
    uint64_t count = 0;
    if (!in_.Read(&version) || !in_.Read(&count)) return CutShort();
    if (version == kEncrypted) {
      return absl::UnimplementedError(
          Concat(file_, ": is version 2, an encrypted model, supported: 1"));
    }
    if (version != kVersion) {
      return absl::UnimplementedError(Concat(file_, ": is version ", version, ", supported: 1"));
    }
    if (count > kMaxItems) {
      return absl::InvalidArgumentError(
          Concat(file_, ": has ", count, " tensors, expected at most ", kMaxItems));
    }
    for (uint64_t i = 0; i < count; ++i) {
      Item item;
      if (!in_.Read(&item.name_bytes) || !in_.Read(&item.type) || !in_.Read(&item.dimensions) ||
          !in_.Read(&item.bytes)) {
        return CutShort();
      }
      if (item.name_bytes < 1 || item.name_bytes > kMaxTensorNameBytes) {
        return absl::InvalidArgumentError(Concat(file_, ": tensor ", i, " has a name of ",
                                                 item.name_bytes, " bytes, expected 1 to ",
                                                 kMaxTensorNameBytes));
      }
      items_.push_back(std::move(item));
    }
    for (Item& item : items_) {
      std::span<const uint8_t> name;
      if (!in_.Take(item.name_bytes, &name)) return CutShort();
      item.name = TextOf(name);
      if (item.dimensions > kMaxDimensions) {
        return Invalid(item.name, Concat("has ", item.dimensions, " dimensions, expected at most ",
                                         kMaxDimensions));
      }
    }
    for (Item& item : items_) {
      for (uint64_t i = 0; i < item.dimensions; ++i) {
        int32_t size = 0;
        if (!in_.Read(&size)) return CutShort();
        item.shape.push_back(size);
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<TensorView> View(const Item& item, std::span<const uint8_t> data) const {
    TensorView view;
    const bool is_intgemm = item.type == kIntgemm8 || item.type == kIntgemm8OfMaster;
    switch (item.type) {
      case kFloat32:
        view.dtype = DType::kF32;
        break;
      case kFloat16:
        view.dtype = DType::kF16;
        break;
      case kIntgemm8:
      case kIntgemm8OfMaster:
        view.dtype = DType::kI8;
        break;
      default:
        return absl::UnimplementedError(
            Concat(file_, ": tensor '", item.name, "' is of type ", Hex(item.type),
                   ", supported: float32 (0x404), float16 (0x402) and intgemm8 (0x4101, 0x10001)"));
    }
    const absl::StatusOr<int64_t> numel = CheckedNumel(item.shape);
    if (!numel.ok()) return Invalid(item.name, std::string(numel.status().message()));
    // The scale, a float32, follows the integers.
    const auto size = static_cast<uint64_t>(DTypeSize(view.dtype));
    const uint64_t scale = is_intgemm ? sizeof(float) : 0;
    const auto count = static_cast<uint64_t>(*numel);
    if (data.size() < scale || count > (data.size() - scale) / size) {
      return Invalid(item.name, Concat("has ", data.size(), " bytes, expected ", count,
                                       " numbers of ", size, is_intgemm ? " and a scale" : ""));
    }
    view.shape = item.shape;
    if (is_intgemm) {
      view.scales = data.subspan(count, scale);
      if (item.name == "decoder_ff_logit_out_Wt") {
        return absl::UnimplementedError(Concat(file_, ": tensor '", item.name,
                                               "' has 8 bits, supported: an output layer in ",
                                               "float32, or one that is the target's embedding"));
      }
      // Marian stores the numbers of these matrices as [out, in] but states the shape [in, out].
      if (IsMatrix(view.shape) && !IsOfVocabulary(item.name)) {
        std::swap(view.shape[0], view.shape[1]);
      }
      view.strides = DenseStrides(view.shape);
      DropFirstOfRow(&view);
    } else {
      view.strides = DenseStrides(view.shape);
      Turn(item.name, &view);
    }
    view.data = data.first(count * size);
    return view;
  }

  static std::string Hex(uint64_t number) { return absl::StrCat("0x", absl::Hex(number)); }
  absl::Status Invalid(std::string_view name, std::string_view what) const {
    return absl::InvalidArgumentError(Concat(file_, ": tensor '", name.substr(0, 64), "' ", what));
  }
  absl::Status CutShort() const {
    return absl::InvalidArgumentError(
        Concat(file_, ": is cut short: what its headers name does not fit in it"));
  }

  ByteReader in_;
  const std::string_view file_;
  std::vector<Item> items_;
};

}  // namespace

absl::StatusOr<MarianFile> ParseMarianNpz(std::span<const uint8_t> bytes, std::string_view file) {
  absl::StatusOr<TensorTable> arrays = ParseNpzFile(bytes, file);
  if (!arrays.ok()) return arrays.status();
  MarianFile model{.tensors = *std::move(arrays), .options = {}};
  if (const auto options = model.tensors.find(kOptions); options != model.tensors.end()) {
    model.options = TextOf(options->second.data);
    model.tensors.erase(options);
  }
  for (auto& [name, view] : model.tensors) Turn(name, &view);
  return model;
}

absl::StatusOr<MarianFile> ParseMarianBinary(std::span<const uint8_t> bytes,
                                             std::string_view file) {
  return BinaryParser(bytes, file).Parse();
}

bool IsMarianBinary(std::span<const uint8_t> head) {
  uint64_t version = 0;
  return ByteReader(head).Read(&version) && (version == kVersion || version == kEncrypted);
}

}  // namespace dragoman::engine
