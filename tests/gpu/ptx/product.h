// Products of matrices on the host, whose sums have a stated order: the arithmetic below the fake of cuBLASLt.
//
// Stateless; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dragoman::ptx {

enum class Element : uint8_t { kFloat32, kFloat16, kBFloat16 };

constexpr size_t BytesOf(Element element) { return element == Element::kFloat32 ? 4 : 2; }

// The order in which the k products of an element are added.
enum class SumOrder : uint8_t {
  // One by one from the first, each product and each sum rounded to float32: what the emulated engine does.
  kOneByOne,
  // Sixteen at a time, as mma adds them on this device: exact products, summed in double, then rounded to the
  // float32 sum so far.
  kBySixteen,
  // kOneByOne from the last to the first: other bits than any of the others.
  kBackwards,
  // kOneByOne of each half of k, then the sum of both: split-K.
  kInHalves,
};

// A matrix [out, in] with rows side by side, as float32 [in, out].
std::vector<float> Columns(const void* rows, Element element, size_t in, size_t out, size_t stride);

// y [out] becomes the sums of x [in] with each row of the matrix of Columns.
void MultiplyRow(SumOrder order, const float* columns, const void* x, Element element, size_t in,
                 size_t out, float* y);

// Rounded to nearest even.
void Store(const float* y, Element element, size_t n, void* to);
void LoadFloats(const void* from, Element element, size_t n, float* to);

}  // namespace dragoman::ptx
