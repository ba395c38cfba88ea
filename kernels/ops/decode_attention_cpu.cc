// Work per row at position t: 4 (t + 1) d flop, 8 (t + 1) d bytes of K and V.
#include "kernels/ops/decode_attention.h"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/parallel.h"

namespace dragoman {
namespace {

// Positions taken as usual where the work of a row is judged.
constexpr int64_t kUsualPositions = 32;
static_assert(cpu::kTilePositions == kPagePositions && cpu::kMaxHeads == kMaxAttentionHeads);

// Addresses of K in the tables for one row of one layer.
class RowPages {
 public:
  RowPages(const KvLayout& layout, int layer, const DecodeRows& rows, const SelfKvTables& tables,
           int64_t row)
      : layout_(layout),
        tables_(tables),
        layer_(layer),
        lanes_(tables.slot_lanes + int64_t{rows.slot[row]} * kMaxSlotLanes),
        own_(lanes_[rows.lane[row]]),
        ancestry_(tables.ancestry + own_ * tables.max_positions) {}

  uint8_t* OwnK(int position) const { return K(own_, position); }
  uint8_t* AncestorK(int position) const { return K(lanes_[ancestry_[position]], position); }

 private:
  uint8_t* K(int64_t lane, int position) const {
    const int64_t page =
        tables_.lane_pages[lane * tables_.pages_per_lane + position / kPagePositions];
    return static_cast<uint8_t*>(tables_.pool) + page * layout_.HostPageBytes() +
           layout_.SelfK(layer_, position % kPagePositions) * ElementBytes(layout_.host_element);
  }

  const KvLayout& layout_;
  const SelfKvTables& tables_;
  const int layer_;
  const int32_t* lanes_;
  const int64_t own_;
  const uint8_t* ancestry_;
};

}  // namespace

void DecodeSelfAttention(OpContext& context, const KvLayout& layout, int layer,
                         const DecodeRows& rows, const SelfKvTables& tables, const float* qkv,
                         float* context_out) {
  const cpu::KernelTable& kernels = cpu::Kernels();
  const int64_t d = layout.width();
  const int64_t v_offset = layout.SelfV(layer, 0) - layout.SelfK(layer, 0);
  const bool narrow = layout.host_element == ComputeType::kBFloat16;
  const auto attend = narrow ? kernels.attend_row_bfloat16 : kernels.attend_row;
  cpu::ParallelFor(context, rows.count, kUsualPositions * 2 * d,
                   [&](int64_t begin, int64_t end, int /*thread*/) {
                     for (int64_t r = begin; r < end; ++r) {
                       const RowPages pages(layout, layer, rows, tables, r);
                       const int position = rows.position[r];
                       const float* q = qkv + r * 3 * d;
                       uint8_t* const own = pages.OwnK(position);
                       if (narrow) {
                         auto* const k = reinterpret_cast<uint16_t*>(own);
                         kernels.to_bfloat16(q + d, d, k);
                         kernels.to_bfloat16(q + 2 * d, d, k + v_offset);
                       } else {
                         auto* const k = reinterpret_cast<float*>(own);
                         std::copy_n(q + d, d, k);
                         std::copy_n(q + 2 * d, d, k + v_offset);
                       }

                       float max[cpu::kMaxHeads];
                       float sum[cpu::kMaxHeads] = {};
                       std::fill_n(max, cpu::kMaxHeads, -INFINITY);
                       float* acc = context_out + r * d;
                       std::fill_n(acc, d, 0.0F);
                       for (int tile = 0; tile <= position; tile += kPagePositions) {
                         const void* k_rows[kPagePositions];
                         const int count = std::min(kPagePositions, position + 1 - tile);
                         for (int p = 0; p < count; ++p) {
                           k_rows[p] = tile + p == position ? own : pages.AncestorK(tile + p);
                         }
                         attend({.q = q,
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
                         kernels.normalise(acc + int64_t{h} * layout.head_dim, sum[h],
                                           layout.head_dim);
                       }
                     }
                   });
}

}  // namespace dragoman
