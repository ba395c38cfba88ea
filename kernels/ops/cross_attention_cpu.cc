// Cross-attention on the CPU. A row takes 4 n d floating-point operations for a source of n
// positions. The 8 n d bytes of K and V (f32) are read once for up to kBlockRows rows of a slot.
#include "kernels/ops/cross_attention.h"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/parallel.h"

namespace dragoman::kernels {
namespace {

// The number of positions that the estimate of a row's work assumes.
constexpr int64_t kUsualPositions = 32;
static_assert(cpu::kTilePositions == kPagePositions);

// Writes K and V of one layer for up to a page of positions to an f32 page. `kv` has one row for
// each position: k, then v. Rows are ld numbers apart.
void WritePage(const KvLayout& layout, int layer, const float* kv, int64_t ld, int positions,
               float* page) {
  for (int head = 0; head < layout.heads; ++head) {
    const int64_t at = int64_t{head} * layout.head_dim;
    float* k = page + layout.CrossK(layer, head);
    float* v = page + layout.CrossV(layer, head);
    for (int j = 0; j < layout.head_dim; ++j) {
      float* column = k + int64_t{j} * kPagePositions;
      for (int p = 0; p < positions; ++p) column[p] = kv[p * ld + at + j];
      std::fill(column + positions, column + kPagePositions, 0.0F);
    }
    for (int p = 0; p < positions; ++p) {
      std::copy_n(kv + p * ld + layout.width() + at, layout.head_dim,
                  v + int64_t{p} * layout.head_dim);
    }
    std::fill(v + int64_t{positions} * layout.head_dim,
              v + int64_t{kPagePositions} * layout.head_dim, 0.0F);
  }
}

// Writes a bfloat16 page.
void WritePage(const KvLayout& layout, int layer, const float* kv, int64_t ld, int positions,
               uint16_t* page) {
  const cpu::KernelTable& kernels = cpu::Kernels();
  for (int head = 0; head < layout.heads; ++head) {
    const int64_t at = int64_t{head} * layout.head_dim;
    uint16_t* k = page + layout.CrossK(layer, head);
    uint16_t* v = page + layout.CrossV(layer, head);
    for (int j = 0; j < layout.head_dim; ++j) {
      float column[kPagePositions] = {};
      for (int p = 0; p < positions; ++p) column[p] = kv[p * ld + at + j];
      kernels.to_bfloat16(column, kPagePositions, k + int64_t{j} * kPagePositions);
    }
    for (int p = 0; p < positions; ++p) {
      kernels.to_bfloat16(kv + p * ld + layout.width() + at, layout.head_dim,
                          v + int64_t{p} * layout.head_dim);
    }
    std::fill(v + int64_t{positions} * layout.head_dim,
              v + int64_t{kPagePositions} * layout.head_dim, uint16_t{0});
  }
}

// Computes up to kBlockRows rows of one slot over int8 pages. At the end prefetches the first page
// of `next_slot`, the slot of the rows that follow; -1: none follow.
void AttendInt8Rows(const KvLayout& layout, int layer, const CrossKvTables& tables, int32_t slot,
                    int32_t next_slot, int rows, const float* q, float* out) {
  const cpu::QuantizedTable& kernels = cpu::QuantizedKernels();
  const Int8KvBlock shape = layout.Int8Block();
  const int64_t d = layout.width();
  alignas(64) int8_t values[cpu::kBlockRows * kMaxInt8RowBytes];
  float scales[cpu::kBlockRows][cpu::kMaxHeads];
  int32_t zeros[cpu::kBlockRows][cpu::kMaxHeads];
  float max[cpu::kBlockRows][cpu::kMaxHeads];
  float sum[cpu::kBlockRows][cpu::kMaxHeads];
  for (int r = 0; r < rows; ++r) {
    kernels.write_block_query(shape, q + r * d, values + r * d, scales[r], zeros[r]);
    std::fill_n(max[r], cpu::kMaxHeads, -INFINITY);
    std::fill_n(sum[r], cpu::kMaxHeads, 0.0F);
  }
  std::fill_n(out, rows * d, 0.0F);
  const int length = tables.source_length[slot];
  const auto block = [&](int32_t of, int page) {
    return static_cast<const uint8_t*>(tables.pool) +
           tables.pages[int64_t{of} * tables.pages_per_slot + page] * layout.HostPageBytes() +
           layout.Int8BlockAt(layer);
  };
  for (int position = 0; position < length; position += kPagePositions) {
    const int page = position / kPagePositions;
    const uint8_t* ahead = nullptr;
    if (position + kPagePositions < length) {
      ahead = block(slot, page + 1);
    } else if (next_slot >= 0) {
      ahead = block(next_slot, 0);
    }
    kernels.attend_int8_block({.shape = &shape,
                               .block = block(slot, page),
                               .ahead = ahead,
                               .positions = std::min(kPagePositions, length - position),
                               .rows = rows,
                               .q = values,
                               .q_stride = d,
                               .q_scales = scales,
                               .q_zeros = zeros,
                               .max = max,
                               .sum = sum,
                               .acc = out,
                               .acc_stride = d});
  }
  for (int r = 0; r < rows; ++r) {
    for (int head = 0; head < layout.heads; ++head) {
      cpu::Kernels().normalise(out + r * d + int64_t{head} * layout.head_dim, sum[r][head],
                               layout.head_dim);
    }
  }
}

// Computes up to kBlockRows rows of one slot over f32 or bfloat16 pages, all heads.
void AttendRows(const KvLayout& layout, int layer, const CrossKvTables& tables, int32_t slot,
                int rows, const float* q, float* out) {
  const cpu::KernelTable& kernels = cpu::Kernels();
  const int64_t d = layout.width();
  const bool narrow = layout.host_element == ComputeType::kBFloat16;
  const auto attend = narrow ? kernels.attend_block_bfloat16 : kernels.attend_block;
  const int64_t element = ElementBytes(layout.host_element);
  const int length = tables.source_length[slot];
  const int32_t* pages = tables.pages + int64_t{slot} * tables.pages_per_slot;
  for (int head = 0; head < layout.heads; ++head) {
    const int64_t at = int64_t{head} * layout.head_dim;
    float max[cpu::kBlockRows];
    float sum[cpu::kBlockRows] = {};
    std::fill_n(max, cpu::kBlockRows, -INFINITY);
    for (int r = 0; r < rows; ++r) std::fill_n(out + r * d + at, layout.head_dim, 0.0F);
    for (int position = 0; position < length; position += kPagePositions) {
      const auto* page = static_cast<const uint8_t*>(tables.pool) +
                         pages[position / kPagePositions] * layout.HostPageBytes();
      attend({.q = q + at,
              .q_stride = d,
              .rows = rows,
              .k = page + layout.CrossK(layer, head) * element,
              .k_stride = kPagePositions,
              .v = page + layout.CrossV(layer, head) * element,
              .v_stride = layout.head_dim,
              .positions = std::min(kPagePositions, length - position),
              .head_dim = layout.head_dim,
              .scale = 1.0F / std::sqrt(static_cast<float>(layout.head_dim)),
              .max = max,
              .sum = sum,
              .acc = out + at,
              .acc_stride = d});
    }
    for (int r = 0; r < rows; ++r) kernels.normalise(out + r * d + at, sum[r], layout.head_dim);
  }
}

}  // namespace

void WriteCrossKv(OpContext& context, const KvLayout& layout, int first_layer, int layer_count,
                  const float* kv, const int32_t* offsets, int64_t segments,
                  const int32_t* page_offsets, const int32_t* pages, void* pool) {
  const int64_t d = layout.width();
  const int64_t ld = layer_count * 2 * d;
  cpu::ParallelFor(context, segments, offsets[segments] * ld / std::max<int64_t>(segments, 1),
                   [&](int64_t begin, int64_t end, int /*thread*/) {
                     for (int64_t s = begin; s < end; ++s) {
                       for (int32_t j = page_offsets[s]; j < page_offsets[s + 1]; ++j) {
                         const int first = offsets[s] + (j - page_offsets[s]) * kPagePositions;
                         const int positions = std::min(kPagePositions, offsets[s + 1] - first);
                         uint8_t* page =
                             static_cast<uint8_t*>(pool) + pages[j] * layout.HostPageBytes();
                         for (int l = 0; l < layer_count; ++l) {
                           const float* rows = kv + first * ld + l * 2 * d;
                           if (layout.host_element == ComputeType::kInt8) {
                             cpu::QuantizedKernels().write_kv_block(
                                 layout.Int8Block(), rows, rows + d, ld, positions,
                                 page + layout.Int8BlockAt(first_layer + l));
                           } else if (layout.host_element == ComputeType::kBFloat16) {
                             WritePage(layout, first_layer + l, rows, ld, positions,
                                       reinterpret_cast<uint16_t*>(page));
                           } else {
                             WritePage(layout, first_layer + l, rows, ld, positions,
                                       reinterpret_cast<float*>(page));
                           }
                         }
                       }
                     }
                   });
}

void CrossAttention(OpContext& context, const KvLayout& layout, int layer, const DecodeRows& rows,
                    const CrossKvTables& tables, const float* q, float* context_out) {
  const int64_t d = layout.width();
  cpu::ParallelFor(context, rows.count, kUsualPositions * 2 * d,
                   [&](int64_t begin, int64_t end, int /*thread*/) {
                     for (int64_t r = begin; r < end;) {
                       int count = 1;
                       while (count < cpu::kBlockRows && r + count < end &&
                              rows.slot[r + count] == rows.slot[r]) {
                         ++count;
                       }
                       if (layout.host_element == ComputeType::kInt8) {
                         AttendInt8Rows(layout, layer, tables, rows.slot[r],
                                        r + count < end ? rows.slot[r + count] : -1, count,
                                        q + r * d, context_out + r * d);
                       } else {
                         AttendRows(layout, layer, tables, rows.slot[r], count, q + r * d,
                                    context_out + r * d);
                       }
                       r += count;
                     }
                   });
}

}  // namespace dragoman::kernels
