// Work per row at position t: 4 (t + 1) d flop, 8 (t + 1) d bytes of K and V.
#include "kernels/ops/decode_attention.h"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/attend_int8.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/parallel.h"

namespace dragoman {
namespace {

// Positions taken as usual where the work of a row is judged.
constexpr int64_t kUsualPositions = 32;
static_assert(cpu::kTilePositions == kPagePositions && cpu::kMaxHeads == kMaxAttentionHeads);

// Where K of a position is within its page, in bytes.
int64_t HostSelfAt(const KvLayout& layout, int layer, int position) {
  return layout.host_element == ComputeType::kInt8
             ? layout.Int8RowAt(layer, position)
             : layout.SelfK(layer, position) * ElementBytes(layout.host_element);
}

// Addresses of K in the tables for one row of one layer.
class RowPages {
 public:
  RowPages(const KvLayout& layout, int layer, const DecodeRows& rows, const SelfKvTables& tables,
           int64_t row)
      : tables_(tables),
        page_bytes_(layout.HostPageBytes()),
        row_bytes_(HostSelfAt(layout, 0, 1)),
        layer_at_(static_cast<uint8_t*>(tables.pool) + HostSelfAt(layout, layer, 0)),
        lanes_(tables.slot_lanes + int64_t{rows.slot[row]} * kMaxSlotLanes),
        own_(lanes_[rows.lane[row]]),
        ancestry_(tables.ancestry + own_ * tables.max_positions) {}

  uint8_t* OwnK(int position) const { return K(own_, position); }
  uint8_t* AncestorK(int position) const { return K(lanes_[ancestry_[position]], position); }

 private:
  // Within a page a position's row begins row_bytes_ behind that of the one before.
  uint8_t* K(int64_t lane, int position) const {
    const int64_t page =
        tables_.lane_pages[lane * tables_.pages_per_lane + position / kPagePositions];
    return layer_at_ + page * page_bytes_ + position % kPagePositions * row_bytes_;
  }

  const SelfKvTables& tables_;
  const int64_t page_bytes_;
  const int64_t row_bytes_;
  uint8_t* const layer_at_;  // in a page number 0
  const int32_t* lanes_;
  const int64_t own_;
  const uint8_t* ancestry_;
};

// One row over pages of int8.
void AttendInt8(const Int8KvRow& shape, const RowPages& pages, int position, const float* qkv,
                float* out) {
  const int64_t d = int64_t{shape.heads} * shape.head_dim;
  uint8_t* const own = pages.OwnK(position);
  cpu::NarrowKernels().write_kv_row(shape, qkv + d, qkv + 2 * d, own);
  cpu::AttendInt8(
      shape, qkv, position + 1, [&](int p) { return p == position ? own : pages.AncestorK(p); },
      out);
}

// One row over pages of float32 or bfloat16.
void AttendFloats(const KvLayout& layout, const RowPages& pages, int position, const float* qkv,
                  float* acc) {
  const cpu::KernelTable& kernels = cpu::Kernels();
  const int64_t d = layout.width();
  const int64_t v_offset = layout.SelfV(0, 0) - layout.SelfK(0, 0);
  const bool narrow = layout.host_element == ComputeType::kBFloat16;
  const auto attend = narrow ? kernels.attend_row_bfloat16 : kernels.attend_row;
  uint8_t* const own = pages.OwnK(position);
  if (narrow) {
    auto* const k = reinterpret_cast<uint16_t*>(own);
    kernels.to_bfloat16(qkv + d, d, k);
    kernels.to_bfloat16(qkv + 2 * d, d, k + v_offset);
  } else {
    auto* const k = reinterpret_cast<float*>(own);
    std::copy_n(qkv + d, d, k);
    std::copy_n(qkv + 2 * d, d, k + v_offset);
  }

  float max[cpu::kMaxHeads];
  float sum[cpu::kMaxHeads] = {};
  std::fill_n(max, cpu::kMaxHeads, -INFINITY);
  std::fill_n(acc, d, 0.0F);
  for (int tile = 0; tile <= position; tile += kPagePositions) {
    const void* k_rows[kPagePositions];
    const int count = std::min(kPagePositions, position + 1 - tile);
    for (int p = 0; p < count; ++p) {
      k_rows[p] = tile + p == position ? own : pages.AncestorK(tile + p);
    }
    attend({.q = qkv,
            .k_rows = k_rows,
            .v_offset = v_offset,
            .positions = count,
            .heads = layout.heads,
            .head_dim = layout.head_dim,
            .scale = 1.0F / std::sqrt(static_cast<float>(layout.head_dim)),
            .max = max,
            .sum = sum,
            .acc = acc});
  }
  for (int h = 0; h < layout.heads; ++h) {
    kernels.normalise(acc + int64_t{h} * layout.head_dim, sum[h], layout.head_dim);
  }
}

}  // namespace

void DecodeSelfAttention(OpContext& context, const KvLayout& layout, int layer,
                         const DecodeRows& rows, const SelfKvTables& tables, const float* qkv,
                         float* context_out) {
  const int64_t d = layout.width();
  const bool int8 = layout.host_element == ComputeType::kInt8;
  const Int8KvRow shape = layout.Int8Row();
  cpu::ParallelFor(context, rows.count, kUsualPositions * 2 * d,
                   [&](int64_t begin, int64_t end, int /*thread*/) {
                     for (int64_t r = begin; r < end; ++r) {
                       const RowPages pages(layout, layer, rows, tables, r);
                       const float* const row = qkv + r * 3 * d;
                       float* const out = context_out + r * d;
                       if (int8) {
                         AttendInt8(shape, pages, rows.position[r], row, out);
                       } else {
                         AttendFloats(layout, pages, rows.position[r], row, out);
                       }
                     }
                   });
}

}  // namespace dragoman
