// The inner loops of products whose operands are narrower than f32: int8 with exact sums in s32,
// and bfloat16 with sums in f32. One text (quantized.inc, amx.inc) for all instruction sets.
//
// Operands of both types are read in groups of 4 bytes along k: 4 numbers of int8, 2 of bfloat16.
//   rows     [rows][k], each row a whole number of kGroupBlock groups; what rounds k up is zero
//            (int8: the zero point)
//   weights  W [n, k] in strips of kStripWidth columns: [strip][group][column][4 bytes], which is
//            what dot-product instructions and tiles both take; what rounds n and k up is zero
//
// int8 (as CTranslate2's and Marian's): a row x is q = round(x / s) + 128 as u8 with s = max|x| /
// 127, a column of W is round(w / t) as s8 with t = max|w| / limit (WeightLimit). With `start` = -128 sum(w)
// the sums are those of signed numbers, at most 127 * 127 * k: exact for k up to 133,000, on every
// instruction set. So a row's result depends on nothing but the row and the weights.
// The limit is 127 but with AVX2 alone: its instruction for bytes (vpmaddubsw) adds up two products in
// 16 bits, which 255 * (127 + 127) would overflow in silence. Results with AVX2 are therefore its own,
// and equal on all other instruction sets.
// bfloat16: both operands are rounded to nearest even. The order of the sums is fixed by the
// instruction set; it does not depend on the other rows.
//
// All functions are pure: they may be called from any thread.
#pragma once

#include <cstdint>

#include "kernels/base/activation.h"
#include "kernels/base/int8_kv_row.h"
#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/result_fold.h"

namespace dragoman::kernels::cpu {

inline constexpr int kStripWidth = 16;
inline constexpr int kGroupBytes = 4;
// Rows of operands are whole multiples of this many groups: 64 bytes.
inline constexpr int kGroupBlock = 16;
inline constexpr int kZeroPoint = 128;

struct QuantizedGemmArgs {
  const uint8_t* x;  // operand rows
  int64_t rows;
  int64_t groups;  // a multiple of kGroupBlock: a row of x is 4 * groups bytes
  const uint8_t* strips;
  int64_t n;             // columns, not rounded
  const int32_t* start;  // int8: -128 sum(w); [n rounded up to kStripWidth]
  // int8 with short weights (weight_limit below 127), else nullptr: for each strip, order_stride apart, the
  // order in which pairs of neighbouring groups are added up. First comes how many of them have
  // products that fit 16 bits in sum, in every column and whatever x is; then the numbers of those
  // pairs, then those of the others: groups / 2 in all.
  const uint16_t* order;
  int64_t order_stride;
  const float* column_scale;  // int8: the same
  const float* row_scale;     // int8: [rows]
  const float* bias;          // [n rounded up to kStripWidth], never null
  float* y;                   // where the first column of strip_begin goes; row stride ldy
  int64_t ldy;
  const ResultFold* fold;  // nullptr: none. With one, y may be nullptr: no result is stored
  Activation activation;   // none with a fold
  bool padded;             // y has room for the last strip's rounded width: write all of it
  int64_t strip_begin;     // computes the strips strip_begin .. strip_end - 1
  int64_t strip_end;
};

// q of a row as attention over rows of int8 takes it: s8 in the order of K, and per lane.
struct Int8Query {
  const int8_t* values;  // [k_bytes]
  const float* scales;   // [all lanes], with 1 / sqrt(head_dim) in it
  const int32_t* zeros;  // [all lanes]: what K's zero point adds to the dot product
};

// One tile of up to kTilePositions positions of one query row, all heads. The weights of a tile's
// positions become integers of 15 bits, each with V's scale in it, so that both products of
// attention are exact sums in s32; scores, softmax and what goes from tile to tile are f32.
struct Int8AttendArgs {
  const Int8KvRow* shape;
  Int8Query q;
  const uint8_t* const* rows;  // [positions]
  int positions;
  // State between tiles: [all lanes]; acc [heads * head_dim].
  float* max;
  float* sum;
  float* acc;
  // The term added to a score: bias[head * bias_stride + position]; nullptr: none.
  const float* bias = nullptr;
  int64_t bias_stride = 0;
};

// Rows of K and V that the next call of attend_int8 reads.
struct Int8RowsAhead {
  const uint8_t* const* rows = nullptr;
  int count = 0;
};

// One block of cross-attention for up to kBlockRows rows of a slot, all heads; products and state as
// above, so a row's context depends on nothing but the row and the block.
struct Int8BlockArgs {
  const Int8KvBlock* shape;
  const uint8_t* block;
  const uint8_t* ahead;  // a block that is read soon: fetched while this one is; nullptr: none
  int positions;         // of the block, > 0
  int rows;
  // Queries by row: s8 in the order of a row of numbers; scales and zeros as in Int8Query, [heads].
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
  // The largest magnitude of a weight in int8, and of the sum of two neighbours, of numbers 2 i and
  // 2 i + 1 of a column.
  int weight_limit;
  int pair_limit;
  // x [count, k] as operands [count] of `groups` groups, whose numbers are -limit .. limit. scales[r]
  // is NaN where a number of the row is NaN or infinite, which then every result of the row is.
  void (*quantize_rows)(const float* x, int64_t count, int64_t k, int64_t groups, int limit,
                        uint8_t* rows, float* scales);
  // One row of x as an operand. NaN and infinity stay what they are.
  void (*round_row)(const float* x, int64_t k, int64_t groups, uint8_t* row);
  // y * sigmoid(y) in place, of what is to become an operand: relative error below 7e-5 (from
  // y = -86 on; below, the result is above -1e-6), where bfloat16 has 4e-3 and int8 more.
  void (*swish)(float* y, int64_t n);
  // Back: the first k numbers of an operand row in f32.
  void (*widen_quantized_row)(const uint8_t* row, int64_t k, float scale, float* x);
  void (*widen_rounded_row)(const uint8_t* row, int64_t k, float* x);
  // k and v [heads * head_dim] of one position as a row.
  void (*write_kv_row)(const Int8KvRow& shape, const float* k, const float* v, uint8_t* row);
  // q [heads * head_dim]; what Int8Query points to.
  void (*write_query)(const Int8KvRow& shape, const float* q, int8_t* values, float* scales,
                      int32_t* zeros);
  // Up to kBlockRows rows, best of one slot. max is -inf, sum and acc are zero before a row's first
  // tile; ahead: what the next call reads.
  void (*attend_int8)(const Int8AttendArgs* rows, int count, const Int8RowsAhead& ahead);
  // k and v [positions, heads * head_dim] with row stride ld as a block, all of which is written.
  void (*write_kv_block)(const Int8KvBlock& shape, const float* k, const float* v, int64_t ld,
                         int positions, uint8_t* block);
  // q [heads * head_dim]; what Int8BlockArgs takes of a row.
  void (*write_block_query)(const Int8KvBlock& shape, const float* q, int8_t* values, float* scales,
                            int32_t* zeros);
  // The same as attend_int8, for a block of rows.
  void (*attend_int8_block)(const Int8BlockArgs& args);
  // dots[position] = q . k of one head of a block, K as it lies, from 0 to 255, and q [head_dim].
  // REQUIRES: no sum is beyond 32 bits.
  void (*dot_block)(const Int8KvBlock& shape, const uint8_t* head, const int16_t* q, int32_t* dots);
  // The lanes of each row of ResultFold::sums added up, as a tree.
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
