// y = activation(x W^T + bias) on a device with int8 products. A model's layers use it if the
// setting layer-products asks for int8.
//
//   x [rows, in], bias [out], y [rows, out] of one 16-bit type; W [out, in] in int8, with a scale
//   for each row (QuantizeRows of quantize_rows.h makes both from 16-bit weights); all dense and
//   row-major, aligned to 16 bytes
//
// Each row of x is quantized by its own largest number (quantize_rows.h). Sums are exact, so their
// order does not matter. The bits of a row depend only on that row and W, not on the number of
// rows, the tiles or the card. An element is
//   round(fma(sum, x's scale * W's scale, bias))    bias 0 if there is none
// An activation is computed from this rounded number and rounded again, as in a separate pass
// (activation_cuda.h).
//
// Uses mma.sync on sm_80 and later, and smaller products on sm_75 (quantized_tensor_core.cuh).
#pragma once

#include <cstdint>
#include <string>

#include "kernels/base/activation.h"
#include "kernels/base/compute_type.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

// How a product is computed. All forms give the same bits.
enum class QuantizedForm : uint8_t {
  kAuto,   // the form that suits the number of rows
  kFew,    // for up to kMostQuantizedFewRows rows; the product's kernel quantizes the rows itself
  kSmall,  // tiles of 64 x 64; an earlier kernel quantizes the rows
  kLarge,  // tiles of 128 x 128; an earlier kernel quantizes the rows
};

inline constexpr int kMostQuantizedFewRows = 16;

// Reports whether a product takes tiles of 128 x 128 rather than 64 x 64. The tiles of a product
// run in rounds, one tile on each multiprocessor. Large tiles are chosen unless an underfilled last
// round costs more than they save. The estimate: a tile of 64 x 64 takes 1/4 + 1/16 of the time of
// one of 128 x 128. It has 1/4 of the products; the 1/16 accounts for its traffic to shared memory,
// which is half that of the large tile.
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
  const float* scales = nullptr;    // [out]: scales of the rows of W
  const void* bias = nullptr;       // nullptr: none
  Activation activation = Activation::kNone;
  QuantizedForm form = QuantizedForm::kAuto;

  // Set by PrepareQuantizedProduct for the current device.
  int multiprocessors = 0;
  bool takes_few = false;  // a block's shared memory is large enough for kFew
};

// Sets the fields that depend on the current device. Returns "", or why the device or the shape has
// no such product. Leaves no error on the device. REQUIRES: called before MultiplyQuantized, and
// not while a graph is recorded.
std::string PrepareQuantizedProduct(QuantizedProduct* product);

// Returns the bytes of workspace for a product of `rows` rows: the quantized rows and their scales.
constexpr int64_t QuantizedWorkspaceBytes(int64_t rows, int64_t in) {
  constexpr int64_t kAlignment = 16;
  const int64_t scales = rows * static_cast<int64_t>(sizeof(float));
  return rows * in + (scales + kAlignment - 1) / kAlignment * kAlignment;
}

// Returns the number of kernels that MultiplyQuantized launches.
int QuantizedProductNodes(const QuantizedProduct& product, int64_t rows);

// Computes rows [0, *count) of y, or all rows if count is nullptr. Other rows of y may be written
// or not. REQUIRES: PrepareQuantizedProduct returned ""; a form other than kAuto takes this number
// of rows; `workspace` [QuantizedWorkspaceBytes(rows, in)] is aligned to 16 bytes and belongs to
// the stream; x, y and `workspace` do not overlap.
Error MultiplyQuantized(Stream stream, const QuantizedProduct& product, const void* x, int64_t rows,
                        const int32_t* count, void* workspace, void* y);

}  // namespace dragoman::kernels::cuda
