// The inner loops of the CPU operations. One source (the .inc files of this folder) is compiled
// once for each instruction set. Each compilation has a table of its functions, and one table is
// chosen at run time (isa.h).
//
// Within an instruction set, the order in which a function computes an output element depends only
// on the element's own operands, not on the number of rows, the row's place in the call or the
// thread. All functions are pure: any thread may call them.
#pragma once

#include <cstdint>

#include "kernels/base/activation.h"

namespace dragoman::kernels::cpu {

// A weight matrix of n outputs and k inputs is packed in panels of kPanelWidth outputs. For each
// input, a panel stores the weights of all its outputs next to each other. The last panel has the
// remaining outputs, and its width is their number rounded up to kPanelStep.
inline constexpr int kPanelWidth = 48;
inline constexpr int kPanelStep = 16;

// The largest number of positions that one call of the attention loops takes.
inline constexpr int kTilePositions = 32;
// The largest number of attention heads.
inline constexpr int kMaxHeads = 64;
// The largest number of query rows in one call of attend_block.
inline constexpr int kBlockRows = 4;

struct GemmArgs {
  const float* x;  // [rows, k], row stride ldx
  int64_t ldx;
  int64_t rows;
  int64_t k;
  const float* panels;
  int64_t n;          // number of outputs, not rounded
  const float* bias;  // [n rounded up to kPanelStep], never null
  float* y;           // address of the first result of panel number panel_begin; row stride ldy
  int64_t ldy;
  bool relu;
  bool padded;          // rows of y have room for the last panel's rounded width: write all of it
  int64_t panel_begin;  // computes the panels panel_begin .. panel_end - 1
  int64_t panel_end;
};

// The arguments of decoder self-attention for one query row, all heads, and one tile of up to
// kTilePositions positions. K and V are f32 or bfloat16; there is a function for each. `max`, `sum`
// (one number per head) and `acc` (heads * head_dim numbers) hold the state between tiles.
struct AttendRowArgs {
  const float* q;             // [heads * head_dim]
  const void* const* k_rows;  // [positions]: each [heads * head_dim]
  int64_t v_offset;           // in elements: v row = k row + v_offset
  int positions;
  int heads;
  int head_dim;
  float scale;
  float* max;
  float* sum;
  float* acc;
  // The term added to a scaled score: bias[head * bias_stride + position]; nullptr: none.
  const float* bias = nullptr;
  int64_t bias_stride = 0;
};

// The arguments of attention for one tile of positions of one head, for up to kBlockRows query rows
// that share K and V.
struct AttendBlockArgs {
  const float* q;  // [rows, head_dim], row stride q_stride
  int64_t q_stride;
  int rows;
  const void* k;  // transposed: [head_dim][kTilePositions], row stride k_stride, all readable
  int64_t k_stride;
  const void* v;  // [positions, head_dim], row stride v_stride
  int64_t v_stride;
  int positions;
  int head_dim;
  float scale;
  float* max;  // [rows]
  float* sum;  // [rows]
  float* acc;  // [rows, head_dim], row stride acc_stride
  int64_t acc_stride;
  // The term added to a scaled score: bias[position - row]; nullptr: none.
  const float* bias = nullptr;
};

struct KernelTable {
  void (*gemm)(const GemmArgs& args);
  // Applies the activation to one row in place. Does nothing if IsOfProduct(activation).
  void (*activate)(Activation activation, float* y, int64_t n);
  // sum = x + residual, y = LN(sum). `residual` and `sum` may be null. `y` and `sum` may point to
  // the same memory as `x` or `residual`.
  void (*layer_norm)(const float* x, const float* residual, const float* gamma, const float* beta,
                     float epsilon, int64_t d, float* y, float* sum);
  // sum = x + residual, y = sum / sqrt(mean(sum^2) + epsilon) * gamma; otherwise as layer_norm.
  void (*rms_norm)(const float* x, const float* residual, const float* gamma, float epsilon,
                   int64_t d, float* y, float* sum);
  // y = activation(x) * by, of n numbers each; y overlaps neither.
  void (*gate)(Activation activation, const float* x, const float* by, int64_t n, float* y);
  // y = scale * x + p; p may be null.
  void (*scale_add)(const float* x, float scale, const float* p, int64_t d, float* y);
  // state = f * before + (1 - f) * x with f = sigmoid(gate); y = max(0, state). A `before` of
  // nullptr means zeros.
  void (*recur)(const float* gate, const float* x, const float* before, int64_t d, float* state,
                float* y);
  // The next four functions compute one tile of attention. REQUIRES: before the first tile of a
  // row, max is -inf, and sum and acc are zero.
  void (*attend_row)(const AttendRowArgs& args);
  void (*attend_row_bfloat16)(const AttendRowArgs& args);
  void (*attend_block)(const AttendBlockArgs& args);
  void (*attend_block_bfloat16)(const AttendBlockArgs& args);
  // Converts x [n] to bfloat16, rounded to nearest even. NaN stays NaN.
  void (*to_bfloat16)(const float* x, int64_t n, uint16_t* y);
  // acc *= 1 / sum.
  void (*normalise)(float* acc, float sum, int64_t n);
  // Returns the largest of x[0..n), -inf if n = 0. Sets *nan if any x is NaN.
  float (*row_max)(const float* x, int64_t n, bool* nan);
  // Returns the sum of exp(x - max). REQUIRES: max is finite.
  float (*exp_sum)(const float* x, int64_t n, float max);
  // Writes the indices i of all x[i] > threshold to `found`, ascending. Returns their number.
  int (*find_above)(const float* x, int64_t n, float threshold, int32_t* found);
};

extern const KernelTable kBaselineKernels;
extern const KernelTable kAvx2Kernels;
extern const KernelTable kAvx512Kernels;
extern const KernelTable kNeonKernels;

}  // namespace dragoman::kernels::cpu
