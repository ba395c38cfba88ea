// The inner loops of products and attention in int8, with exact sums in s32, and of products in
// bfloat16, with sums in f32. quantized.inc and amx.inc have the code for all instruction sets. A
// table of functions is chosen at run time (isa.h).
//
// The loops read operands of both types in groups of 4 bytes along k: 4 int8 or 2 bfloat16 numbers.
//   rows     [rows][k], each row padded to a multiple of kGroupBlock groups with zeros (int8: with
//            the zero point)
//   weights  W [n, k] in strips of kStripWidth columns: [strip][group][column][4 bytes], the layout
//            of dot-product instructions and tiles; n and k are padded with zeros
//
// int8 (as in CTranslate2 and Marian): a row x becomes q = round(x / s) + 128 as u8 with s = max|x|
// / 127. A column w of W becomes round(w / t) as s8 with t = max|w| / limit (WeightLimit). A sum
// begins with `start` = -128 sum(w), so it is the sum for signed numbers, at most 127 * 127 * k. It
// is exact for k up to 133,000 on every instruction set, so a row's result depends only on the row
// and the weights. The limit is 127, except with AVX2 alone. There the instruction for bytes
// (vpmaddubsw) adds up two products in 16 bits, and 255 * (127 + 127) would silently overflow them.
// So results with AVX2 alone differ from those of the other instruction sets, whose sums are all
// equal.
//
// bfloat16: both operands are rounded to nearest even. The instruction set fixes the order of the
// sums. It does not depend on the other rows.
//
// All functions are pure: any thread may call them.
#pragma once

#include <cstdint>

#include "kernels/base/activation.h"
#include "kernels/base/int8_kv_row.h"
#include "kernels/cpu/kernel_table.h"

namespace dragoman::kernels::cpu {

inline constexpr int kFoldLanes = 16;

struct FoundResult {
  float value;
  int32_t column;
};

// Makes a product sum up exp(result) over each row and list the results above a threshold. All
// arrays are memory of the caller. Each row has kFoldLanes partial sums (lanes). A lane takes its
// columns in ascending order, so a row's sums do not depend on other rows.
struct ResultFold {
  // [rows][kFoldLanes]: exp(result) is added to lane column % kFoldLanes, with a relative error
  // below 3e-5 for |result| <= 80. Results above 88.8 (no maximum is subtracted) and NaN make the
  // lane not finite.
  float* sums;
  // False: adds no exp, whose multiplications slow a product down. A lane then keeps its value, but
  // becomes NaN if a result is NaN or +infinity.
  bool adds_exp;
  // [rows]: results above the row's threshold are written to `found`.
  const float* thresholds;
  const float* borders;  // [rows]: ExponentBelow(threshold, ..)
  // [rows][capacity]: the results above the thresholds, in the order of columns. Results beyond the
  // capacity are counted but not stored.
  FoundResult* found;
  int32_t* counts;  // [rows]
  int32_t capacity;
};

// Returns a number that is below log2(exp(x)), as a product computes it, for every result x above
// the threshold. REQUIRES: no finite bias has a magnitude above `largest_bias`.
float ExponentBelow(float threshold, float largest_bias);

inline constexpr int kStripWidth = 16;
inline constexpr int kGroupBytes = 4;
// Operand rows are padded to a multiple of this many groups, which is 64 bytes.
inline constexpr int kGroupBlock = 16;
inline constexpr int kZeroPoint = 128;

struct QuantizedGemmArgs {
  const uint8_t* x;  // operand rows
  int64_t rows;
  int64_t groups;  // a multiple of kGroupBlock: a row of x is 4 * groups bytes
  const uint8_t* strips;
  int64_t n;             // number of columns, not rounded
  const int32_t* start;  // int8: -128 sum(w); [n rounded up to kStripWidth]
  // The order in which a strip adds up the products of its pairs of neighbouring groups. Each strip
  // has its own order; those of neighbouring strips are order_stride entries apart. nullptr unless
  // int8 weights are limited below 127 (weight_limit). The first entry of an order is the number of
  // pairs whose products fit 16 bits in sum, for every column and every x. These pairs follow, then
  // the other pairs.
  const uint16_t* order;
  int64_t order_stride;
  const float* column_scale;  // int8: [n rounded up to kStripWidth]
  const float* row_scale;     // int8: [rows]
  const float* bias;          // [n rounded up to kStripWidth], never null
  float* y;  // address of the first result of strip number strip_begin; row stride ldy
  int64_t ldy;
  const ResultFold* fold;  // nullptr: none. With a fold, y may be nullptr: no result is stored
  Activation activation;   // kNone with a fold
  bool padded;          // rows of y have room for the last strip's rounded width: write all of it
  int64_t strip_begin;  // computes the strips strip_begin .. strip_end - 1
  int64_t strip_end;
};

// The query of one row for attention over int8 rows (int8_kv_row.h). It is quantized to s8 and
// stored in the order of K. `scales` and `zeros` have one number for each lane, which is one head.
struct Int8Query {
  const int8_t* values;  // [k_bytes]
  const float* scales;   // scales of q times 1 / sqrt(head_dim)
  const int32_t* zeros;  // [all lanes]: what K's zero point adds to the dot product
};

// The arguments of self-attention for one tile of up to kTilePositions positions of one query row,
// all heads. The weights of the positions are multiplied by V's scales and rounded to integers of
// 15 bits. So both products of attention, with K and with V, are exact sums in s32. Scores, softmax
// and the state between tiles are f32.
struct Int8AttendArgs {
  const Int8KvRow* shape;
  Int8Query q;
  const uint8_t* const* rows;  // [positions]
  int positions;
  // State between tiles: max and sum [all lanes]; acc [heads * head_dim].
  float* max;
  float* sum;
  float* acc;
  // The term added to a score: bias[head * bias_stride + position]; nullptr: none.
  const float* bias = nullptr;
  int64_t bias_stride = 0;
};

// Rows of K and V that the next call of attend_int8 reads, to be prefetched.
struct Int8RowsAhead {
  const uint8_t* const* rows = nullptr;
  int count = 0;
};

// The arguments of cross-attention for one block (Int8KvBlock) and up to kBlockRows rows of a slot,
// all heads. Products and state are as in Int8AttendArgs, so a row's context depends only on the
// row and the block.
struct Int8BlockArgs {
  const Int8KvBlock* shape;
  const uint8_t* block;
  const uint8_t* ahead;  // a block that a later call reads, to be prefetched; nullptr: none
  int positions;         // number of positions in the block, > 0
  int rows;
  // The queries, one for each row, as s8 in the order of the row's numbers. Each row has one scale
  // and one zero per head, as in Int8Query.
  const int8_t* q;
  int64_t q_stride;
  const float (*q_scales)[kMaxHeads];
  const int32_t (*q_zeros)[kMaxHeads];
  float (*max)[kMaxHeads];
  float (*sum)[kMaxHeads];
  float* acc;
  int64_t acc_stride;
};

struct QuantizedTable {
  // weight_limit: the largest magnitude of an int8 weight. pair_limit: the largest magnitude of the
  // sum of a column's weights 2 i and 2 i + 1.
  int weight_limit;
  int pair_limit;
  // Converts x [count, k] to operands of `groups` groups with numbers in -limit .. limit.
  // scales[r], and every result of the row, is NaN if a number of the row is NaN or infinite.
  void (*quantize_rows)(const float* x, int64_t count, int64_t k, int64_t groups, int limit,
                        uint8_t* rows, float* scales);
  // Converts one row of x to an operand. NaN and infinity are kept.
  void (*round_row)(const float* x, int64_t k, int64_t groups, uint8_t* row);
  // Computes y * sigmoid(y) in place, for rows that are converted to operands next. The relative
  // error is below 7e-5 for y >= -86; for smaller y the result is above -1e-6. The conversion has a
  // relative error of 4e-3 in bfloat16 and more in int8.
  void (*swish)(float* y, int64_t n);
  // Converts the first k numbers of an operand row to f32.
  void (*widen_quantized_row)(const uint8_t* row, int64_t k, float scale, float* x);
  void (*widen_rounded_row)(const uint8_t* row, int64_t k, float* x);
  // Writes k and v [heads * head_dim] of one position as a row.
  void (*write_kv_row)(const Int8KvRow& shape, const float* k, const float* v, uint8_t* row);
  // Converts q [heads * head_dim] to the arrays of Int8Query.
  void (*write_query)(const Int8KvRow& shape, const float* q, int8_t* values, float* scales,
                      int32_t* zeros);
  // Computes the next tile for each of the `count` entries of `rows`, at most kBlockRows. It is
  // fastest if all rows belong to one slot. Prefetches `ahead`. REQUIRES: before a row's first tile
  // max is -inf, and sum and acc are zero.
  void (*attend_int8)(const Int8AttendArgs* rows, int count, const Int8RowsAhead& ahead);
  // Writes k and v [positions, heads * head_dim], whose rows are ld numbers apart, as a complete
  // block.
  void (*write_kv_block)(const Int8KvBlock& shape, const float* k, const float* v, int64_t ld,
                         int positions, uint8_t* block);
  // Converts q [heads * head_dim] to the values, scales and zeros of one row in Int8BlockArgs.
  void (*write_block_query)(const Int8KvBlock& shape, const float* q, int8_t* values, float* scales,
                            int32_t* zeros);
  // Like attend_int8, but takes one block of source positions.
  void (*attend_int8_block)(const Int8BlockArgs& args);
  // Computes dots[position] = q . k for one head of a block. K is taken as stored, from 0 to 255; q
  // is [head_dim]. REQUIRES: every sum fits 32 bits.
  void (*dot_block)(const Int8KvBlock& shape, const uint8_t* head, const int16_t* q, int32_t* dots);
  // Adds up the lanes of each row of ResultFold::sums by a tree: sums[r] is the sum of row r.
  void (*add_lanes)(const float* lanes, int64_t rows, float* sums);
  void (*gemm_int8)(const QuantizedGemmArgs& args);
  void (*gemm_bfloat16)(const QuantizedGemmArgs& args);
};

extern const QuantizedTable kBaselineQuantized;
extern const QuantizedTable kAvx2Quantized;
extern const QuantizedTable kAvx2VnniQuantized;
extern const QuantizedTable kAvx512Quantized;
extern const QuantizedTable kAvx512VnniQuantized;
extern const QuantizedTable kAvx512Bf16Quantized;
extern const QuantizedTable kAmxQuantized;
extern const QuantizedTable kNeonQuantized;
extern const QuantizedTable kDotprodQuantized;
extern const QuantizedTable kI8mmQuantized;

}  // namespace dragoman::kernels::cpu
