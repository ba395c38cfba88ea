#include <algorithm>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/narrow_matrix.h"
#include "kernels/cpu/parallel.h"
#include "kernels/ops/embed.h"

namespace dragoman {
namespace {

// The row of a token, in f32: where it lies, or in `memory` [d].
const float* RowOf(const EmbeddingTable& table, int32_t token, float* memory) {
  const cpu::NarrowTable& narrow = cpu::NarrowKernels();
  const auto* const row = static_cast<const uint8_t*>(table.rows) + token * table.row_bytes;
  switch (table.type) {
    case ComputeType::kInt8:
      narrow.widen_quantised_row(row, table.d, table.scales[token], memory);
      return memory;
    case ComputeType::kBFloat16:
      narrow.widen_rounded_row(row, table.d, memory);
      return memory;
    case ComputeType::kFloat32:
    case ComputeType::kFloat16:  // none of the CPU's
      break;
  }
  return reinterpret_cast<const float*>(row);
}

}  // namespace

NarrowEmbedding::NarrowEmbedding(OpContext& context, ComputeType type, const float* table,
                                 int64_t vocabulary, int d)
    : type_(type),
      vocabulary_(vocabulary),
      d_(d),
      groups_(cpu::GroupsOf(type, d)),
      rows_(cpu::AllocateFloats(static_cast<size_t>(vocabulary * groups_))),
      scales_(cpu::AllocateFloats(static_cast<size_t>(vocabulary))) {
  static_assert(kGroupBytes == cpu::kGroupBytes);
  const cpu::NarrowTable& narrow = cpu::NarrowKernels();
  auto* const rows = reinterpret_cast<uint8_t*>(rows_.get());
  cpu::ParallelFor(context, vocabulary, d, [&](int64_t begin, int64_t end, int /*thread*/) {
    for (int64_t r = begin; r < end; ++r) {
      uint8_t* const row = rows + r * groups_ * kGroupBytes;
      if (type == ComputeType::kInt8) {
        narrow.quantise_rows(table + r * d, 1, d, groups_, row, scales_.get() + r);
      } else {
        narrow.round_row(table + r * d, d, groups_, row);
      }
    }
  });
}

void EmbedTokens(OpContext& context, const EmbeddingTable& table, const float* position_table,
                 float scale, const int32_t* token, const int32_t* position, int64_t rows,
                 float* y) {
  const cpu::KernelTable& kernels = cpu::Kernels();
  const int d = table.d;
  cpu::ParallelFor(context, rows, d * 2, [&](int64_t begin, int64_t end, int /*thread*/) {
    for (int64_t r = begin; r < end; ++r) {
      const float* added =
          position_table == nullptr ? nullptr : position_table + int64_t{position[r]} * d;
      float* row = y + r * d;
      if (token[r] >= 0) {
        kernels.scale_add(RowOf(table, token[r], row), scale, added, d, row);
      } else if (added != nullptr) {
        std::copy_n(added, d, row);
      } else {
        std::fill_n(row, d, 0.0F);
      }
    }
  });
}

}  // namespace dragoman
