// Matrix products on the host whose sums have a stated order: the arithmetic of the fake of
// cuBLASLt.
//
// Stateless; call from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dragoman::ptx {

enum class Element : uint8_t { kFloat32, kFloat16, kBFloat16 };

constexpr size_t BytesOf(Element element) { return element == Element::kFloat32 ? 4 : 2; }

// The order in which the k products of an element are added.
enum class SumOrder : uint8_t {
  // One by one from the first product on. Each product and each sum is rounded to float32, as in
  // the emulated engine.
  kOneByOne,
  // Sixteen at a time, as mma adds them on this device: sixteen exact products are summed in
  // double, added to the float32 sum so far, and rounded to float32.
  kBySixteen,
  // kOneByOne from the last product to the first. The bits differ from those of the other orders.
  kBackwards,
  // kOneByOne for each half of k, then the sum of both halves, as with split-K.
  kInHalves,
};

// Converts a matrix [out, in], stored by rows, to float32 [in, out].
std::vector<float> Columns(const void* rows, Element element, size_t in, size_t out, size_t stride);

// Sets y [out] to the sums of x [in] with each row of the matrix given to Columns.
void MultiplyRow(SumOrder order, const float* columns, const void* x, Element element, size_t in,
                 size_t out, float* y);

// Stores n numbers as `element`, rounded to nearest even.
void Store(const float* y, Element element, size_t n, void* to);
void LoadFloats(const void* from, Element element, size_t n, float* to);

}  // namespace dragoman::ptx
