// Self-attention of the decoder on the CPU. A row at position t takes 4 (t + 1) d floating-point
// operations and reads 8 (t + 1) d bytes of K and V in f32.
#include "kernels/ops/decode_attention.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/parallel.h"

namespace dragoman::kernels {
namespace {

// The number of positions that the estimate of a row's work assumes.
constexpr int64_t kUsualPositions = 32;
static_assert(cpu::kTilePositions == kPagePositions && cpu::kMaxHeads == kMaxAttentionHeads);

// Returns the offset of a position's K within its page, in bytes.
int64_t HostSelfAt(const KvLayout& layout, int layer, int position) {
  return layout.host_element == ComputeType::kInt8
             ? layout.Int8RowAt(layer, position)
             : layout.SelfK(layer, position) * ElementBytes(layout.host_element);
}

// Finds the addresses of K for the positions of one row in one layer.
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
  // Within a page, K of adjacent positions is row_bytes_ apart.
  uint8_t* K(int64_t lane, int position) const {
    const int64_t page =
        tables_.lane_pages[lane * tables_.pages_per_lane + position / kPagePositions];
    return layer_at_ + page * page_bytes_ + position % kPagePositions * row_bytes_;
  }

  const SelfKvTables& tables_;
  const int64_t page_bytes_;
  const int64_t row_bytes_;
  uint8_t* const layer_at_;  // the address of the layer's first K in page 0
  const int32_t* lanes_;
  const int64_t own_;
  const uint8_t* ancestry_;
};

// Returns the pointer to the first head's bias at `distance`, or nullptr if there is no bias.
const float* BiasAt(const RelativeBias& bias, int64_t distance) {
  return bias.table == nullptr ? nullptr : bias.At(0, distance);
}

// Computes rows over int8 pages, up to kBlockRows rows of a slot together. During the computation
// of a tile it prefetches K and V of the next one.
class Int8Attention {
 public:
  Int8Attention(const KvLayout& layout, int layer, const DecodeRows& rows,
                const SelfKvTables& tables, const float* qkv, float* out, const RelativeBias& bias)
      : layout_(layout),
        shape_(layout.Int8Row()),
        d_(layout.width()),
        layer_(layer),
        rows_(rows),
        tables_(tables),
        qkv_(qkv),
        out_(out),
        bias_(bias) {}

  // Computes the rows begin .. end - 1.
  void Run(int64_t begin, int64_t end) const {
    Tile tiles[2];
    Tile* now = &tiles[0];
    Tile* next = &tiles[1];
    int count = RowsTogether(begin, end);
    Gather(begin, count, 0, now);
    for (int64_t first = begin; first < end;) {
      WriteNew(first, count);
      State state[cpu::kBlockRows];
      const int longest = Prepare(first, count, state);
      const int then = RowsTogether(first + count, end);
      for (int position = 0; position < longest; position += cpu::kTilePositions) {
        if (position + cpu::kTilePositions < longest) {
          Gather(first, count, position + cpu::kTilePositions, next);
        } else {
          Gather(first + count, then, 0, next);
        }
        Attend(first, count, position, *now, *next, state);
        std::swap(now, next);
      }
      for (int r = 0; r < count; ++r) {
        for (int head = 0; head < shape_.heads; ++head) {
          cpu::Kernels().normalise(out_ + (first + r) * d_ + int64_t{head} * shape_.head_dim,
                                   state[r].sum[head], shape_.head_dim);
        }
      }
      first += count;
      count = then;
    }
  }

 private:
  // The addresses of K and V of a tile of positions.
  struct Tile {
    const uint8_t* rows[cpu::kBlockRows][cpu::kTilePositions];
    // Number of positions; 0 or less: the tile is beyond the row's position.
    int positions[cpu::kBlockRows];
    // All addresses in `rows`, each once.
    const uint8_t* different[cpu::kBlockRows * cpu::kTilePositions];
    int different_count;
  };

  // The state of one row, carried from tile to tile.
  struct State {
    alignas(64) int8_t values[kMaxInt8RowBytes];
    float scales[cpu::kMaxHeads];
    int32_t zeros[cpu::kMaxHeads];
    float max[cpu::kMaxHeads];
    float sum[cpu::kMaxHeads];
  };

  RowPages Pages(int64_t row) const { return {layout_, layer_, rows_, tables_, row}; }

  int RowsTogether(int64_t first, int64_t end) const {
    int count = 0;
    while (count < cpu::kBlockRows && first + count < end &&
           rows_.slot[first + count] == rows_.slot[first]) {
      ++count;
    }
    return count;
  }

  void Gather(int64_t first, int count, int position, Tile* tile) const {
    tile->different_count = 0;
    for (int r = 0; r < count; ++r) {
      const RowPages pages = Pages(first + r);
      const int own = rows_.position[first + r] - position;
      const int positions = std::min(cpu::kTilePositions, own + 1);
      tile->positions[r] = positions;
      for (int p = 0; p < positions; ++p) {
        const uint8_t* const at =
            p == own ? pages.OwnK(position + p) : pages.AncestorK(position + p);
        tile->rows[r][p] = at;
        bool known = false;
        for (int i = 0; i < r; ++i) {
          known = known || (p < tile->positions[i] && tile->rows[i][p] == at);
        }
        if (!known) tile->different[tile->different_count++] = at;
      }
    }
  }

  void WriteNew(int64_t first, int count) const {
    for (int64_t row = first; row < first + count; ++row) {
      const float* const k = qkv_ + (3 * row + 1) * d_;
      cpu::QuantizedKernels().write_kv_row(shape_, k, k + d_, Pages(row).OwnK(rows_.position[row]));
    }
  }

  // Initializes the rows' states. Returns the largest number of positions of a row.
  int Prepare(int64_t first, int count, State* state) const {
    int longest = 0;
    for (int r = 0; r < count; ++r) {
      State& row = state[r];
      cpu::QuantizedKernels().write_query(shape_, qkv_ + 3 * (first + r) * d_, row.values,
                                          row.scales, row.zeros);
      std::fill_n(row.max, cpu::kMaxHeads, -INFINITY);
      std::fill_n(row.sum, cpu::kMaxHeads, 0.0F);
      longest = std::max(longest, rows_.position[first + r] + 1);
    }
    std::fill_n(out_ + first * d_, count * d_, 0.0F);
    return longest;
  }

  void Attend(int64_t first, int count, int position, const Tile& tile, const Tile& next,
              State* state) const {
    cpu::Int8AttendArgs args[cpu::kBlockRows];
    int live = 0;
    for (int r = 0; r < count; ++r) {
      if (tile.positions[r] <= 0) continue;
      State& row = state[r];
      args[live++] = {.shape = &shape_,
                      .q = {row.values, row.scales, row.zeros},
                      .rows = tile.rows[r],
                      .positions = tile.positions[r],
                      .max = row.max,
                      .sum = row.sum,
                      .acc = out_ + (first + r) * d_,
                      .bias = BiasAt(bias_, position - rows_.position[first + r]),
                      .bias_stride = bias_.columns};
    }
    cpu::QuantizedKernels().attend_int8(args, live, {next.different, next.different_count});
  }

  const KvLayout& layout_;
  const Int8KvRow shape_;
  const int64_t d_;
  const int layer_;
  const DecodeRows& rows_;
  const SelfKvTables& tables_;
  const float* const qkv_;
  float* const out_;
  const RelativeBias& bias_;
};

// Computes one row over float32 or bfloat16 pages.
void AttendFloats(const KvLayout& layout, const RowPages& pages, int position, const float* qkv,
                  const RelativeBias& bias, float* acc) {
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
            .acc = acc,
            .bias = BiasAt(bias, tile - position),
            .bias_stride = bias.columns});
  }
  for (int h = 0; h < layout.heads; ++h) {
    kernels.normalise(acc + int64_t{h} * layout.head_dim, sum[h], layout.head_dim);
  }
}

}  // namespace

void DecodeSelfAttention(OpContext& context, const KvLayout& layout, int layer,
                         const DecodeRows& rows, const SelfKvTables& tables, const float* qkv,
                         float* context_out, const RelativeBias& bias) {
  const int64_t d = layout.width();
  if (layout.host_element != ComputeType::kInt8) {
    cpu::ParallelFor(context, rows.count, kUsualPositions * 2 * d,
                     [&](int64_t begin, int64_t end, int /*thread*/) {
                       end = NextLane(rows, end);
                       for (int64_t r = NextLane(rows, begin); r < end; ++r) {
                         AttendFloats(layout, RowPages(layout, layer, rows, tables, r),
                                      rows.position[r], qkv + r * 3 * d, bias, context_out + r * d);
                       }
                     });
    return;
  }
  const Int8Attention attention(layout, layer, rows, tables, qkv, context_out, bias);
  cpu::ParallelFor(context, rows.count, kUsualPositions * 2 * d,
                   [&](int64_t begin, int64_t end, int /*thread*/) {
                     attention.Run(NextLane(rows, begin), NextLane(rows, end));
                   });
}

}  // namespace dragoman::kernels
