// Quantizes rows to numbers of one byte on a device, each row with a scale of its own, for
// quantized products (output_layer_cuda.h, quantized_linear.h).
//
//   x [rows, d] of a 16-bit compute type, 16-byte aligned
//   y [rows, d] bytes, dense, 16-byte aligned; scales [rows] f32: a row of x is about its row of y
//     times its scale
//
// A row's scale is its largest magnitude over 448 (e4m3) or 127 (int8). A number of y is x / scale,
// rounded to nearest even: the CPU's rule for int8 (kernels/cpu/quantized_table.h). So a row's
// bytes depend on that row alone. If the row has a NaN or an infinity, the scale is NaN, and so are
// all products. If the largest magnitude is so small that its inverse is infinite, the row becomes
// zeros with the scale 0.
#pragma once

#include <cstdint>

#include "kernels/base/compute_type.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

// Quantizes rows [0, *count), or all `rows` rows if count is nullptr. Rows from *count on become
// zeros with the scale 0. REQUIRES: `type` is a 16-bit type; `to` is not kNone; d is a multiple of
// 8.
Error QuantizeRows(Stream stream, ComputeType type, QuantizedType to, const void* x, int64_t rows,
                   const int32_t* count, int d, uint8_t* y, float* scales);

// Computes z [rows, columns] f32, whose rows are `stride` numbers apart: the products of quantized
// rows x [rows, d] and w [columns, d] by plain arithmetic, summed in the order of k, times both
// scales. Slow; for checks. REQUIRES: d is a multiple of 16.
Error MultiplyQuantizedRows(Stream stream, QuantizedType type, const uint8_t* x,
                            const float* x_scales, int64_t rows, const uint8_t* w,
                            const float* w_scales, int64_t columns, int d, float* z,
                            int64_t stride);

}  // namespace dragoman::kernels::cuda
