#include "tests/gpu/ptx/product.h"

#include <algorithm>
#include <cstring>

#include "tests/gpu/ptx/half.h"

namespace dragoman::ptx {
namespace {

uint16_t HalfAt(const void* from, size_t index) {
  uint16_t bits = 0;
  std::memcpy(&bits, static_cast<const uint8_t*>(from) + 2 * index, sizeof(bits));
  return bits;
}

float FloatAt(const void* from, size_t index) {
  float value = 0;
  std::memcpy(&value, static_cast<const uint8_t*>(from) + 4 * index, sizeof(value));
  return value;
}

void AddOneByOne(const float* columns, const float* x, size_t first, size_t end, size_t out,
                 float* y) {
  for (size_t k = first; k < end; ++k) {
    const float value = x[k];
    const float* const column = columns + k * out;
#pragma GCC ivdep
    for (size_t o = 0; o < out; ++o) y[o] += value * column[o];
  }
}

void AddBackwards(const float* columns, const float* x, size_t in, size_t out, float* y) {
  for (size_t k = in; k-- > 0;) AddOneByOne(columns, x, k, k + 1, out, y);
}

void AddBySixteen(const float* columns, const float* x, size_t in, size_t out, float* y) {
  constexpr size_t kDepth = 16;
  std::vector<double> sums(out);
  for (size_t first = 0; first < in; first += kDepth) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (size_t k = first; k < std::min(first + kDepth, in); ++k) {
      const double value = x[k];
      const float* const column = columns + k * out;
#pragma GCC ivdep
      for (size_t o = 0; o < out; ++o) sums[o] += value * static_cast<double>(column[o]);
    }
    for (size_t o = 0; o < out; ++o) {
      y[o] = static_cast<float>(static_cast<double>(y[o]) + sums[o]);
    }
  }
}

}  // namespace

void LoadFloats(const void* from, Element element, size_t n, float* to) {
  switch (element) {
    case Element::kFloat32:
      std::memcpy(to, from, n * sizeof(float));
      break;
    case Element::kFloat16:
      for (size_t i = 0; i < n; ++i) to[i] = HalfToFloat(HalfAt(from, i));
      break;
    case Element::kBFloat16:
      for (size_t i = 0; i < n; ++i) to[i] = BFloat16ToFloat(HalfAt(from, i));
      break;
  }
}

std::vector<float> Columns(const void* rows, Element element, size_t in, size_t out,
                           size_t stride) {
  std::vector<float> columns(in * out);
  for (size_t o = 0; o < out; ++o) {
    for (size_t k = 0; k < in; ++k) {
      const size_t at = o * stride + k;
      columns[k * out + o] = element == Element::kFloat32   ? FloatAt(rows, at)
                             : element == Element::kFloat16 ? HalfToFloat(HalfAt(rows, at))
                                                            : BFloat16ToFloat(HalfAt(rows, at));
    }
  }
  return columns;
}

void MultiplyRow(SumOrder order, const float* columns, const void* x, Element element, size_t in,
                 size_t out, float* y) {
  std::vector<float> values(in);
  LoadFloats(x, element, in, values.data());
  std::fill_n(y, out, 0.0F);
  switch (order) {
    case SumOrder::kOneByOne:
      AddOneByOne(columns, values.data(), 0, in, out, y);
      break;
    case SumOrder::kBySixteen:
      AddBySixteen(columns, values.data(), in, out, y);
      break;
    case SumOrder::kBackwards:
      AddBackwards(columns, values.data(), in, out, y);
      break;
    case SumOrder::kInHalves: {
      std::vector<float> second(out, 0.0F);
      AddOneByOne(columns, values.data(), 0, in / 2, out, y);
      AddOneByOne(columns, values.data(), in / 2, in, out, second.data());
      for (size_t o = 0; o < out; ++o) y[o] += second[o];
      break;
    }
  }
}

void Store(const float* y, Element element, size_t n, void* to) {
  if (element == Element::kFloat32) {
    std::memcpy(to, y, n * sizeof(float));
    return;
  }
  for (size_t i = 0; i < n; ++i) {
    const uint16_t bits = element == Element::kFloat16 ? FloatToHalf(y[i]) : FloatToBFloat16(y[i]);
    std::memcpy(static_cast<uint8_t*>(to) + 2 * i, &bits, sizeof(bits));
  }
}

}  // namespace dragoman::ptx
