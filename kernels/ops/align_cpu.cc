// Alignment on the CPU. A row takes at most 2 n d floating-point operations for a source of n
// positions. Cross-attention has computed the same attention weights but does not keep them. They
// are computed again, because few rows ask for an alignment.
#include "kernels/ops/align.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/quantized_table.h"

namespace dragoman::kernels {
namespace {

float FromBFloat16(uint16_t x) { return std::bit_cast<float>(uint32_t{x} << 16); }

// Computes scores[p] += q . k[p] for all positions p; k is transposed as in a page.
template <class Element, class Widen>
void AddScores(const float* q, int head_dim, const Element* k, Widen widen, int positions,
               float* scores) {
  for (int j = 0; j < head_dim; ++j) {
    for (int p = 0; p < positions; ++p) {
      scores[p] += q[j] * widen(k[int64_t{j} * kPagePositions + p]);
    }
  }
}

// The largest head_dim of int8 rows (KvLayout::HasInt8Rows).
constexpr int kMaxInt8HeadDim = kMaxInt8RowBytes / kInt8HeadLanes;

// q of one head as integers of 14 bits and a sign, so that the sum of kMaxInt8HeadDim products with
// K's 8 bits fits 32 bits. If q has a NaN or an infinity, the scale is NaN.
struct IntegerQuery {
  static constexpr float kMost = 16383.0F;

  IntegerQuery(const float* q, int head_dim) {
    float most = 0.0F;
    for (int j = 0; j < head_dim; ++j) most = std::max(most, std::abs(q[j]));
    const float factor = most > 1e-30F && std::isfinite(most) ? kMost / most : 0.0F;
    float sum = 0.0F;
    for (int j = 0; j < head_dim; ++j) {
      sum += q[j];
      values[j] = factor > 0.0F && !std::isnan(q[j])
                      ? static_cast<int16_t>(std::lrint(q[j] * factor))
                      : int16_t{0};
    }
    scale = std::isfinite(sum) ? most / kMost : NAN;
  }

  int16_t values[kMaxInt8HeadDim];
  float scale;
};

// Computes the scores of a page's positions in one head of an int8 block.
void Int8Scores(const Int8KvBlock& shape, const uint8_t* head, const IntegerQuery& q, int positions,
                float* scores) {
  int32_t dots[kPagePositions];
  cpu::QuantizedKernels().dot_block(shape, head, q.values, dots);
  int32_t zero = 0;
  for (int j = 0; j < shape.head_dim; ++j) zero += cpu::kZeroPoint * q.values[j];
  const auto* const scales = reinterpret_cast<const float*>(head + shape.k_scales_at);
  for (int p = 0; p < positions; ++p) {
    scores[p] = static_cast<float>(dots[p] - zero) * q.scale * scales[p];
  }
}

// Adds the attention weights of one head to `mean`, which has an entry for each source position.
void AddHead(const KvLayout& layout, int layer, int head, const CrossKvTables& tables, int32_t slot,
             const float* q, float* scores, float* mean) {
  const int length = tables.source_length[slot];
  const int32_t* pages = tables.pages + int64_t{slot} * tables.pages_per_slot;
  const float scale = 1.0F / std::sqrt(static_cast<float>(layout.head_dim));
  float max = -INFINITY;
  for (int first = 0; first < length; first += kPagePositions) {
    const int positions = std::min(kPagePositions, length - first);
    const auto* page = static_cast<const uint8_t*>(tables.pool) +
                       pages[first / kPagePositions] * layout.HostPageBytes();
    std::fill_n(scores + first, positions, 0.0F);
    if (layout.host_element == ComputeType::kInt8) {
      const Int8KvBlock shape = layout.Int8Block();
      const uint8_t* const block =
          page + layout.Int8BlockAt(layer) + int64_t{head} * shape.head_bytes;
      Int8Scores(shape, block, IntegerQuery(q, layout.head_dim), positions, scores + first);
    } else if (layout.host_element == ComputeType::kBFloat16) {
      const auto* k = reinterpret_cast<const uint16_t*>(page) + layout.CrossK(layer, head);
      AddScores(q, layout.head_dim, k, FromBFloat16, positions, scores + first);
    } else {
      const auto* k = reinterpret_cast<const float*>(page) + layout.CrossK(layer, head);
      AddScores(
          q, layout.head_dim, k, [](float x) { return x; }, positions, scores + first);
    }
    for (int p = first; p < first + positions; ++p) {
      scores[p] *= scale;
      max = std::max(max, scores[p]);
    }
  }
  float sum = 0.0F;
  for (int p = 0; p < length; ++p) sum += scores[p] = std::exp(scores[p] - max);
  for (int p = 0; p < length; ++p) mean[p] += scores[p] / sum;
}

}  // namespace

size_t AlignScratch(int64_t max_source) {
  return 2 * static_cast<size_t>(KvLayout::PagesFor(max_source) * kPagePositions);
}

void AlignRows(OpContext& context, const KvLayout& layout, int layer, const DecodeRows& rows,
               const CrossKvTables& tables, const float* q, const AlignRow* wanted, int64_t count,
               uint16_t* aligned) {
  const int64_t d = layout.width();
  const size_t floats = AlignScratch(int64_t{tables.pages_per_slot} * kPagePositions);
  cpu::ParallelFor(context, count, 64 * d, [&](int64_t begin, int64_t end, int thread) {
    float* const scores = context.Scratch(thread, floats);
    float* const mean = scores + floats / 2;
    for (int64_t i = begin; i < end; ++i) {
      if (wanted[i].layer != layer) continue;
      const int64_t row = wanted[i].row;
      const int32_t slot = rows.slot[row];
      const int length = tables.source_length[slot];
      std::fill_n(mean, length, 0.0F);
      for (int head = 0; head < layout.heads; ++head) {
        if (((wanted[i].heads >> head) & 1U) == 0) continue;
        AddHead(layout, layer, head, tables, slot, q + row * d + int64_t{head} * layout.head_dim,
                scores, mean);
      }
      aligned[i] =
          static_cast<uint16_t>(length < 2 ? 0 : std::max_element(mean, mean + length - 1) - mean);
    }
  });
}

}  // namespace dragoman::kernels
