#include "engine/model/formats/tensor_file.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/formats/json.h"

namespace dragoman::engine {
namespace {

// The maximum size of the header. It has room for 20,000 tensors with 200 bytes each, far more than
// any translation model has.
constexpr uint64_t kMaxHeaderBytes = 4 << 20;
constexpr JsonLimits kHeaderLimits = {
    .max_bytes = kMaxHeaderBytes, .max_depth = 4, .max_values = 1 << 18};

struct Extent {
  uint64_t begin;
  uint64_t end;
  std::string_view name;
};

std::optional<DType> DTypeFromName(std::string_view name) {
  for (const DType type :
       {DType::kF64, DType::kF32, DType::kF16, DType::kBF16, DType::kI64, DType::kI32, DType::kI16,
        DType::kI8, DType::kU64, DType::kU32, DType::kU16, DType::kU8, DType::kBool}) {
    if (name == DTypeName(type)) return type;
  }
  return std::nullopt;
}

// Returns the value if it is a non-negative integer that fits int64, else nullopt.
std::optional<int64_t> Natural(const nlohmann::json& value) {
  if (!value.is_number_unsigned()) return std::nullopt;
  const auto number = value.get<uint64_t>();
  if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
  return static_cast<int64_t>(number);
}

std::optional<std::vector<int64_t>> Naturals(const nlohmann::json& entry, const char* field) {
  const auto found = entry.find(field);
  if (found == entry.end() || !found->is_array()) return std::nullopt;
  std::vector<int64_t> numbers;
  for (const nlohmann::json& element : *found) {
    const std::optional<int64_t> number = Natural(element);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

// Parses one entry of the header. Sets `extent` to the tensor's range of bytes. The caller checks
// the ranges for gaps and overlaps.
absl::StatusOr<TensorView> ParseEntry(const nlohmann::json& entry, std::span<const uint8_t> data,
                                      Extent* extent) {
  if (!entry.is_object()) {
    return absl::InvalidArgumentError(Concat("is ", DescribeJson(entry), ", expected an object"));
  }
  const auto dtype_field = entry.find("dtype");
  if (dtype_field == entry.end() || !dtype_field->is_string()) {
    return absl::InvalidArgumentError("has no dtype");
  }
  TensorView view;
  const auto& dtype_name = dtype_field->get_ref<const std::string&>();
  const std::optional<DType> dtype = DTypeFromName(dtype_name);
  if (!dtype) {
    return absl::InvalidArgumentError(
        Concat("has dtype '", dtype_name.substr(0, 32), "', which is not known"));
  }
  view.dtype = *dtype;

  std::optional<std::vector<int64_t>> shape = Naturals(entry, "shape");
  if (!shape) return absl::InvalidArgumentError("has no valid shape");
  view.shape = *std::move(shape);
  const absl::StatusOr<int64_t> numel = CheckedNumel(view.shape);
  if (!numel.ok()) return numel.status();

  const std::optional<std::vector<int64_t>> offsets = Naturals(entry, "data_offsets");
  if (!offsets || offsets->size() != 2 || (*offsets)[0] > (*offsets)[1]) {
    return absl::InvalidArgumentError("has no valid data_offsets");
  }
  extent->begin = static_cast<uint64_t>((*offsets)[0]);
  extent->end = static_cast<uint64_t>((*offsets)[1]);
  if (extent->end > data.size()) {
    return absl::InvalidArgumentError(
        Concat("ends at byte ", extent->end, " of the data, which has ", data.size(),
               " bytes: the file is cut short or its header is wrong"));
  }
  int64_t expected = 0;
  if (__builtin_mul_overflow(*numel, static_cast<int64_t>(DTypeSize(view.dtype)), &expected)) {
    return absl::InvalidArgumentError(
        Concat("of shape ", ShapeString(view.shape), " is larger than memory"));
  }
  if (static_cast<uint64_t>(expected) != extent->end - extent->begin) {
    return absl::InvalidArgumentError(
        Concat("of dtype ", DTypeName(view.dtype), " and shape ", ShapeString(view.shape), " has ",
               extent->end - extent->begin, " bytes of data, expected ", expected));
  }
  view.strides = DenseStrides(view.shape);
  view.data = data.subspan(extent->begin, extent->end - extent->begin);
  return view;
}

absl::Status CheckCover(std::vector<Extent>& extents, uint64_t data_size, std::string_view file) {
  std::sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  uint64_t covered = 0;
  for (const Extent& extent : extents) {
    if (extent.begin != covered) {
      return absl::InvalidArgumentError(
          Concat(file, ": tensor '", extent.name, "' begins at byte ", extent.begin,
                 " of the data, expected ", covered, ": tensors ",
                 extent.begin < covered ? "overlap" : "leave a hole"));
    }
    covered = extent.end;
  }
  if (covered != data_size) {
    return absl::InvalidArgumentError(
        Concat(file, ": ", data_size, " bytes of data, but the tensors cover ", covered));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TensorTable> ParseSafetensors(std::span<const uint8_t> bytes,
                                             std::string_view file) {
  uint64_t header_size = 0;
  if (bytes.size() < sizeof(header_size)) {
    return absl::InvalidArgumentError(
        Concat(file, ": ", bytes.size(), " bytes, too short for a safetensors file"));
  }
  std::memcpy(&header_size, bytes.data(), sizeof(header_size));
  bytes = bytes.subspan(sizeof(header_size));
  if (header_size > kMaxHeaderBytes || header_size > bytes.size()) {
    return absl::InvalidArgumentError(Concat(file, ": header of ", header_size,
                                             " bytes, expected at most ",
                                             std::min<uint64_t>(kMaxHeaderBytes, bytes.size()),
                                             ": the file is cut short or not a safetensors file"));
  }
  const std::string_view header(reinterpret_cast<const char*>(bytes.data()), header_size);
  const std::span<const uint8_t> data = bytes.subspan(header_size);
  const absl::StatusOr<nlohmann::json> root = ParseJson(header, file, kHeaderLimits);
  if (!root.ok()) return root.status();
  if (!root->is_object()) {
    return absl::InvalidArgumentError(Concat(file, ": the header is not a JSON object"));
  }

  TensorTable tensors;
  std::vector<Extent> extents;
  for (const auto& [name, entry] : root->items()) {
    if (name == "__metadata__") continue;
    if (name.size() > kMaxTensorNameBytes) {
      return absl::InvalidArgumentError(Concat(file, ": a tensor's name has ", name.size(),
                                               " bytes, expected at most ", kMaxTensorNameBytes));
    }
    Extent extent{};
    absl::StatusOr<TensorView> view = ParseEntry(entry, data, &extent);
    if (!view.ok()) {
      return absl::InvalidArgumentError(
          Concat(file, ": tensor '", name, "' ", view.status().message()));
    }
    extent.name = tensors.emplace(name, *std::move(view)).first->first;
    extents.push_back(extent);
  }
  if (absl::Status status = CheckCover(extents, data.size(), file); !status.ok()) return status;
  return tensors;
}

}  // namespace dragoman::engine
