#include "engine/model/formats/tensor_file.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/formats/zip_directory.h"

namespace dragoman::engine {
namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr std::string_view kNpyMagic = "\x93NUMPY";

// The types by numpy's codes. A code consists of kind and size; numpy's character for the byte
// order is left out.
constexpr std::array<std::pair<std::string_view, DType>, 12> kTypes = {{{"f8", DType::kF64},
                                                                        {"f4", DType::kF32},
                                                                        {"f2", DType::kF16},
                                                                        {"i8", DType::kI64},
                                                                        {"i4", DType::kI32},
                                                                        {"i2", DType::kI16},
                                                                        {"i1", DType::kI8},
                                                                        {"u8", DType::kU64},
                                                                        {"u4", DType::kU32},
                                                                        {"u2", DType::kU16},
                                                                        {"u1", DType::kU8},
                                                                        {"b1", DType::kBool}}};

struct NpyHeader {
  std::string_view type;
  bool is_column_major = false;
  std::vector<int64_t> shape;
};

// Reads the header of an array. It is a Python dictionary with three entries in any order:
// "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }".
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : rest_(text) {}

  std::optional<NpyHeader> Read() {
    NpyHeader header;
    bool has_type = false;
    bool has_order = false;
    bool has_shape = false;
    if (!Take('{')) return std::nullopt;
    while (!Take('}')) {
      std::string_view key;
      if (!Quoted(&key) || !Take(':')) return std::nullopt;
      if (key == "descr" && !has_type) {
        has_type = Quoted(&header.type);
        if (!has_type) return std::nullopt;
      } else if (key == "fortran_order" && !has_order) {
        header.is_column_major = Word("True");
        has_order = header.is_column_major || Word("False");
        if (!has_order) return std::nullopt;
      } else if (key == "shape" && !has_shape) {
        has_shape = Shape(&header.shape);
        if (!has_shape) return std::nullopt;
      } else {
        return std::nullopt;
      }
      if (!Take(',') && !At('}')) return std::nullopt;
    }
    SkipSpaces();
    if (!rest_.empty() || !has_type || !has_order || !has_shape) return std::nullopt;
    return header;
  }

 private:
  void SkipSpaces() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) {
      rest_.remove_prefix(1);
    }
  }
  bool At(char c) {
    SkipSpaces();
    return !rest_.empty() && rest_.front() == c;
  }
  bool Take(char c) {
    if (!At(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool Word(std::string_view word) {
    SkipSpaces();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool Quoted(std::string_view* text) {
    if (!Take('\'')) return false;
    const size_t end = rest_.find('\'');
    if (end == std::string_view::npos) return false;
    *text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return true;
  }
  bool Shape(std::vector<int64_t>* shape) {
    if (!Take('(')) return false;
    while (!Take(')')) {
      SkipSpaces();
      int64_t size = 0;
      const auto [end, failed] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (failed != std::errc()) return false;
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      shape->push_back(size);
      if (!Take(',') && !At(')')) return false;
    }
    return true;
  }

  std::string_view rest_;
};

class ArrayReader {
 public:
  ArrayReader(std::string_view file, std::string_view name) : file_(file), name_(name) {}

  absl::StatusOr<TensorView> Read(std::span<const uint8_t> bytes) const {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    constexpr size_t kVersionEnd = kNpyMagic.size() + 2;
    if (!text.starts_with(kNpyMagic) || text.size() < kVersionEnd) return Invalid("is no .npy");
    const int version = static_cast<uint8_t>(text[kNpyMagic.size()]);
    if (version < 1 || version > 3) {
      return absl::UnimplementedError(
          Concat(Where(), "is .npy of version ", version, ", supported: 1 to 3"));
    }
    const size_t begin = kVersionEnd + (version == 1 ? sizeof(uint16_t) : sizeof(uint32_t));
    if (text.size() < begin) return Invalid("is cut short in its header");
    uint32_t length = 0;
    std::memcpy(&length, text.data() + kVersionEnd, begin - kVersionEnd);
    if (length > text.size() - begin) return Invalid("is cut short in its header");
    const std::optional<NpyHeader> header = HeaderReader(text.substr(begin, length)).Read();
    if (!header)
      return Invalid("has a header that is no dictionary of descr, fortran_order, shape");
    return View(*header, bytes.subspan(begin + length));
  }

 private:
  absl::StatusOr<TensorView> View(const NpyHeader& header, std::span<const uint8_t> data) const {
    TensorView view;
    const std::string_view order = header.type.substr(0, 1);
    const DType* type = nullptr;
    for (const auto& [code, dtype] : kTypes) {
      if (header.type.substr(order.size()) == code) type = &dtype;
    }
    // numpy writes "|" as the byte order of one-byte types.
    if (type == nullptr || !(order == "<" || (order == "|" && DTypeSize(*type) == 1))) {
      return absl::UnimplementedError(Concat(Where(), "has numbers of type '",
                                             header.type.substr(0, 32),
                                             "', supported: '<f4' and other little-endian ones"));
    }
    view.dtype = *type;
    view.shape = header.shape;
    const absl::StatusOr<int64_t> numel = CheckedNumel(view.shape);
    if (!numel.ok()) return Invalid(std::string(numel.status().message()));
    const auto size = static_cast<uint64_t>(DTypeSize(view.dtype));
    if (static_cast<uint64_t>(*numel) > data.size() / size ||
        static_cast<uint64_t>(*numel) * size != data.size()) {
      return Invalid(
          Concat("has ", data.size(), " bytes, expected ", *numel, " numbers of ", size));
    }
    view.strides = DenseStrides(view.shape);
    if (header.is_column_major) {
      int64_t stride = 1;
      for (size_t i = 0; i < view.shape.size(); ++i) {
        view.strides[i] = stride;
        stride *= view.shape[i];
      }
    }
    view.data = data;
    return view;
  }

  std::string Where() const { return Concat(file_, ": array '", name_, "' "); }
  absl::Status Invalid(std::string_view what) const {
    return absl::InvalidArgumentError(Concat(Where(), what));
  }

  const std::string_view file_;
  const std::string_view name_;
};

}  // namespace

absl::StatusOr<TensorTable> ParseNpzFile(std::span<const uint8_t> bytes, std::string_view file) {
  const absl::StatusOr<ZipDirectory> entries = ReadZipDirectory(bytes, file);
  if (!entries.ok()) return entries.status();
  TensorTable table;
  for (const auto& [entry, data] : *entries) {
    std::string_view name = entry;
    if (!name.ends_with(kSuffix)) {
      return absl::InvalidArgumentError(
          Concat(file, ": entry '", name.substr(0, 64), "', expected arrays, NAME.npy"));
    }
    name.remove_suffix(kSuffix.size());
    absl::StatusOr<TensorView> view = ArrayReader(file, name).Read(data);
    if (!view.ok()) return view.status();
    table.emplace(name, *std::move(view));
  }
  return table;
}

}  // namespace dragoman::engine
