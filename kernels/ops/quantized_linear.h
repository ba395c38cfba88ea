// y = activation(x W^T + bias) on a device with products in int8: those of the layers, where the
// setting cuda: layer-products asks for it.
//
//   x [rows, in], bias [out], y [rows, out] of one 16-bit type; W [out, in] in int8, a scale for each
//   of its rows, which are columns of y (QuantizeRows of quantize_rows.h makes both of 16-bit weights);
//   all dense and row-major, aligned to 16 bytes
//
// Rows of x are quantized as quantize_rows.h says, each by its own largest number. Sums are exact, so they
// have no order: the bits of a row are a matter of that row and W alone, whatever the number of rows,
// the tiles and the card, and nothing is tried out between row counts. An element is
//   round(fma(sum, x's scale * W's scale, bias))    bias 0 where there is none
// and an activation that of this number, rounded again, as by a pass of its own (activation_cuda.h).
//
// By mma.sync of sm_80 and later, on sm_75 by its own smaller products (quantized_tensor_core.cuh).
#pragma once

#include <cstdint>
#include <string>

#include "kernels/base/activation.h"
#include "kernels/base/compute_type.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

// How a product is computed. None changes a bit.
enum class QuantizedForm : uint8_t {
  kAuto,   // the one that suits the number of rows
  kFew,    // up to kMostQuantizedFewRows rows, which the kernel quantizes itself
  kSmall,  // tiles of 64 x 64, of rows that a kernel before quantizes
  kLarge,  // tiles of 128 x 128, the same
};

inline constexpr int kMostQuantizedFewRows = 16;

// Whether a product's tiles are those of 128 x 128: where their last round on the multiprocessors does not
// cost more than what they save. A tile of 64 takes a quarter of their time, and for its shared memory
// a quarter of that more.
constexpr bool HasLargeTiles(int64_t rows, int64_t out, int64_t multiprocessors) {
  const auto rounds = [&](int64_t tile) {
    const int64_t tiles = ((rows + tile - 1) / tile) * ((out + tile - 1) / tile);
    return (tiles + multiprocessors - 1) / multiprocessors;
  };
  return 16 * rounds(128) <= 5 * rounds(64);
}

struct QuantizedProduct {
  int in = 0;   // a multiple of 32
  int out = 0;  // a multiple of 8
  ComputeType type = ComputeType::kFloat16;
  const uint8_t* weight = nullptr;  // bytes of int8
  const float* scales = nullptr;    // of its rows
  const void* bias = nullptr;       // nullptr: none
  Activation activation = Activation::kNone;
  QuantizedForm form = QuantizedForm::kAuto;

  // PrepareQuantizedProduct fills these in, of the current device.
  int multiprocessors = 0;
  bool takes_few = false;  // kFew fits into the shared memory of a block
};

// Fills in what is the device's. "", or why the device or the shape has no such product. Once before the
// others; not while a graph is recorded. Leaves no error on the device.
std::string PrepareQuantizedProduct(QuantizedProduct* product);

// Bytes that a product of so many rows works in: the quantized rows, and their scales.
constexpr int64_t QuantizedWorkspaceBytes(int64_t rows, int64_t in) {
  constexpr int64_t kAlignment = 16;
  const int64_t scales = rows * static_cast<int64_t>(sizeof(float));
  return rows * in + (scales + kAlignment - 1) / kAlignment * kAlignment;
}

// The kernels that MultiplyQuantized launches.
int QuantizedProductNodes(const QuantizedProduct& product, int64_t rows);

// Rows [0, *count) of y (all of them where count is nullptr); the others, up to `rows`, may be written or not.
// REQUIRES: PrepareQuantizedProduct returned ""; a form that is asked for takes the rows; `workspace`
// [QuantizedWorkspaceBytes(rows, in)] is aligned to 16 bytes and belongs to the stream; x, y and it do not
// overlap.
Error MultiplyQuantized(Stream stream, const QuantizedProduct& product, const void* x, int64_t rows,
                        const int32_t* count, void* workspace, void* y);

}  // namespace dragoman::kernels::cuda
