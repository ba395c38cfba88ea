// Work per row: 2 n d flop for a source of n positions, for the chosen heads only. The weights are
// computed once more than cross-attention does, for the few rows that ask: the attention itself
// stays as it is for everybody.
#include "kernels/ops/align.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/cpu/narrow_table.h"
#include "kernels/cpu/parallel.h"

namespace dragoman {
namespace {

float FromBFloat16(uint16_t x) { return std::bit_cast<float>(uint32_t{x} << 16); }

// scores[p] += q . k[p], where k is transposed as in a page.
template <class Element, class Widen>
void AddScores(const float* q, int head_dim, const Element* k, Widen widen, int positions,
               float* scores) {
  for (int j = 0; j < head_dim; ++j) {
    for (int p = 0; p < positions; ++p) {
      scores[p] += q[j] * widen(k[int64_t{j} * kPagePositions + p]);
    }
  }
}

// The same of one position's row of int8.
float Int8Score(const Int8KvRow& shape, const uint8_t* row, int head, const float* q) {
  const int lane = head % shape.lanes;
  const uint8_t* k = row + (head - lane) * shape.head_dim + lane * cpu::kGroupBytes;
  float score = 0.0F;
  for (int j = 0; j < shape.head_dim; ++j) {
    const int at = j / cpu::kGroupBytes * cpu::kGroupBytes * shape.lanes + j % cpu::kGroupBytes;
    score += q[j] * static_cast<float>(k[at] - cpu::kZeroPoint);
  }
  return score * reinterpret_cast<const float*>(row + shape.scales_at)[head];
}

// Adds the attention weights of one head to mean [length].
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
      const Int8KvRow shape = layout.Int8Row();
      for (int p = 0; p < positions; ++p) {
        scores[first + p] = Int8Score(shape, page + layout.Int8RowAt(layer, p), head, q);
      }
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

}  // namespace dragoman
