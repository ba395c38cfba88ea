#include "engine/model/formats/tensor_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/str_join.h"
#include "engine/base/concat.h"

namespace dragoman::engine {
namespace {

static_assert(std::endian::native == std::endian::little, "checkpoints are read in place");

struct DTypeFacts {
  std::string_view name;
  int size;
};

constexpr std::array<DTypeFacts, 13> kDTypes = {{
    {"F64", 8},
    {"F32", 4},
    {"F16", 2},
    {"BF16", 2},
    {"I64", 8},
    {"I32", 4},
    {"I16", 2},
    {"I8", 1},
    {"U64", 8},
    {"U32", 4},
    {"U16", 2},
    {"U8", 1},
    {"BOOL", 1},
}};

constexpr size_t kMaxDimensions = 8;

float HalfToFloat(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000U) << 16;
  const uint32_t rest = half & 0x7fffU;
  if (rest < 0x0400U) {  // zero or subnormal: the value rest * 2^-24 is exact in float32
    const float value = static_cast<float>(rest) * 0x1p-24F;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(value) | sign);
  }
  // The bias for infinity and NaN, or for a normal number.
  const uint32_t bias = rest >= 0x7c00U ? 0x70000000U : 0x38000000U;
  return std::bit_cast<float>(((rest << 13) + bias) | sign);
}

template <typename Stored>
Stored LoadElement(const uint8_t* data, int64_t index) {
  Stored value;
  std::memcpy(&value, data + static_cast<size_t>(index) * sizeof(Stored), sizeof(Stored));
  return value;
}

template <DType kType>
float ElementAsF32(const uint8_t* data, int64_t index) {
  if constexpr (kType == DType::kF64) {
    return static_cast<float>(LoadElement<double>(data, index));
  } else if constexpr (kType == DType::kF16) {
    return HalfToFloat(LoadElement<uint16_t>(data, index));
  } else if constexpr (kType == DType::kBF16) {
    return std::bit_cast<float>(static_cast<uint32_t>(LoadElement<uint16_t>(data, index)) << 16);
  } else {
    return LoadElement<float>(data, index);
  }
}

// The tensor has one scale for each row, or one for all rows.
template <typename Stored>
std::optional<size_t> CopyScaled(const TensorView& view, std::span<float> out) {
  const size_t scales = view.scales.size() / sizeof(float);
  const size_t row = out.size() / scales;
  for (size_t r = 0, at = 0; r < scales; ++r) {
    const auto scale = LoadElement<float>(view.scales.data(), static_cast<int64_t>(r));
    for (const size_t end = at + row; at < end; ++at) {
      const auto stored = LoadElement<Stored>(view.data.data(), static_cast<int64_t>(at));
      out[at] = static_cast<float>(stored) / scale;
      // An infinite scale would turn the weights into zeros.
      if (!std::isfinite(out[at]) || !std::isfinite(scale)) {
        out[at] = std::numeric_limits<float>::quiet_NaN();
        return at;
      }
    }
  }
  return std::nullopt;
}

// A float is NaN or infinite exactly if all bits of its exponent are set.
bool AllFinite(std::span<const float> values) {
  uint32_t largest = 0;
  for (const float value : values) {
    largest = std::max(largest, std::bit_cast<uint32_t>(value) & 0x7fffffffU);
  }
  return largest < 0x7f800000U;
}

// The number of elements that are converted and then checked while they are still in the cache.
constexpr size_t kChunk = 4096;

template <DType kType>
void CopyDense(const TensorView& view, size_t from, std::span<float> out) {
  if constexpr (kType == DType::kF32) {
    std::memcpy(out.data(), view.data.data() + from * sizeof(float), out.size_bytes());
  } else {
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = ElementAsF32<kType>(view.data.data(), static_cast<int64_t>(from + i));
    }
  }
}

template <DType kType>
void CopyStrided(const TensorView& view, std::span<float> out) {
  std::array<int64_t, kMaxDimensions> at{};
  int64_t index = 0;
  for (float& value : out) {
    value = ElementAsF32<kType>(view.data.data(), index);
    for (size_t d = view.shape.size(); d-- > 0;) {  // the next element, last dimension fastest
      index += view.strides[d];
      if (++at[d] < view.shape[d]) break;
      index -= at[d] * view.strides[d];
      at[d] = 0;
    }
  }
}

template <DType kType>
std::optional<size_t> CopyElements(const TensorView& view, std::span<float> out) {
  const bool dense = view.strides == DenseStrides(view.shape);
  if (!dense) CopyStrided<kType>(view, out);
  for (size_t from = 0; from < out.size(); from += kChunk) {
    const std::span<float> chunk = out.subspan(from, std::min(kChunk, out.size() - from));
    if (dense) CopyDense<kType>(view, from, chunk);
    if (AllFinite(chunk)) continue;
    const auto bad =
        std::find_if(chunk.begin(), chunk.end(), [](float value) { return !std::isfinite(value); });
    return from + static_cast<size_t>(bad - chunk.begin());
  }
  return std::nullopt;
}

}  // namespace

std::string_view DTypeName(DType type) { return kDTypes[static_cast<size_t>(type)].name; }

int DTypeSize(DType type) { return kDTypes[static_cast<size_t>(type)].size; }

int64_t TensorView::numel() const {
  int64_t product = 1;
  for (const int64_t size : shape) product *= size;
  return product;
}

std::string ShapeString(std::span<const int64_t> shape) {
  return Concat("[", absl::StrJoin(shape.begin(), shape.end(), ", "), "]");
}

absl::StatusOr<int64_t> CheckedNumel(std::span<const int64_t> shape) {
  if (shape.size() > kMaxDimensions) {
    return absl::InvalidArgumentError(
        Concat(shape.size(), " dimensions, expected at most ", kMaxDimensions));
  }
  int64_t product = 1;
  bool empty = false;
  for (const int64_t size : shape) {
    // Counts a size of 0 as 1, so that an overflow of the other sizes is an error too. DenseStrides
    // multiplies these sizes.
    if (size < 0 || __builtin_mul_overflow(product, size == 0 ? 1 : size, &product)) {
      return absl::InvalidArgumentError(
          Concat("shape ", ShapeString(shape), " has no valid number of elements"));
    }
    empty = empty || size == 0;
  }
  return empty ? 0 : product;
}

std::vector<int64_t> DenseStrides(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * std::max<int64_t>(shape[i], 1);
  }
  return strides;
}

bool IsFloat(DType type) {
  return type == DType::kF64 || type == DType::kF32 || type == DType::kF16 || type == DType::kBF16;
}

bool HoldsNumbers(const TensorView& view) {
  if (IsFloat(view.dtype)) return true;
  if (view.dtype != DType::kI8 && view.dtype != DType::kI16) return false;
  return !view.scales.empty() && view.strides == DenseStrides(view.shape);
}

std::optional<size_t> CopyAsF32(const TensorView& view, std::span<float> out) {
  switch (view.dtype) {
    case DType::kI8:
      return CopyScaled<int8_t>(view, out);
    case DType::kI16:
      return CopyScaled<int16_t>(view, out);
    case DType::kF64:
      return CopyElements<DType::kF64>(view, out);
    case DType::kF16:
      return CopyElements<DType::kF16>(view, out);
    case DType::kBF16:
      return CopyElements<DType::kBF16>(view, out);
    default:
      return CopyElements<DType::kF32>(view, out);
  }
}

TensorView RowsOf(const TensorView& view, int64_t first, int64_t count) {
  TensorView rows = view;
  rows.shape[0] = count;
  rows.data = view.data.subspan(static_cast<size_t>(first * view.strides[0]) *
                                static_cast<size_t>(DTypeSize(view.dtype)));
  if (view.scales.size() > sizeof(float)) {
    rows.scales = view.scales.subspan(static_cast<size_t>(first) * sizeof(float),
                                      static_cast<size_t>(count) * sizeof(float));
  }
  return rows;
}

std::span<const uint8_t> BytesOf(const TensorView& view) {
  int64_t last = 0;
  for (size_t d = 0; d < view.shape.size(); ++d) {
    if (view.shape[d] == 0) return {};
    last += (view.shape[d] - 1) * view.strides[d];
  }
  return view.data.first(static_cast<size_t>(last + 1) *
                         static_cast<size_t>(DTypeSize(view.dtype)));
}

std::string PlaceString(std::span<const int64_t> shape, size_t index) {
  std::vector<int64_t> place(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    const auto size = static_cast<size_t>(std::max<int64_t>(shape[d], 1));
    place[d] = static_cast<int64_t>(index % size);
    index /= size;
  }
  return ShapeString(place);
}

}  // namespace dragoman::engine
