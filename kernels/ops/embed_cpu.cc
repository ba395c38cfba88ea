#include <algorithm>
#include <vector>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/quantized_matrix.h"
#include "kernels/ops/embed.h"

namespace dragoman::kernels {
QuantizedEmbedding::QuantizedEmbedding(OpContext& context, ComputeType type,
                                       const MatrixRows& table, int64_t vocabulary, int d)
    : EmbeddingTable(d),
      type_(type),
      groups_(cpu::GroupsOf(type, d)),
      rows_(cpu::AllocateFloats(static_cast<size_t>(vocabulary * groups_))),
      scales_(cpu::AllocateFloats(static_cast<size_t>(vocabulary))) {
  constexpr int64_t kRowsAtOnce = 16;
  auto* const rows = reinterpret_cast<uint8_t*>(rows_.get());
  cpu::ParallelFor(context, vocabulary, d, [&](int64_t begin, int64_t end, int /*thread*/) {
    std::vector<float> memory(static_cast<size_t>(kRowsAtOnce * d));
    for (int64_t r = begin; r < end; r += kRowsAtOnce) {
      cpu::ReadOperandRows(type, table, r, std::min(kRowsAtOnce, end - r), d, groups_,
                           cpu::OperandUse::kRows, memory.data(),
                           rows + r * groups_ * cpu::kGroupBytes, scales_.get() + r);
    }
  });
}

const float* QuantizedEmbedding::Row(int32_t token, float* memory) const {
  const cpu::QuantizedTable& quantized = cpu::QuantizedKernels();
  const auto* const row =
      reinterpret_cast<const uint8_t*>(rows_.get()) + token * groups_ * cpu::kGroupBytes;
  if (type_ == ComputeType::kInt8) {
    quantized.widen_quantized_row(row, d(), scales_.get()[token], memory);
  } else {
    quantized.widen_rounded_row(row, d(), memory);
  }
  return memory;
}

int64_t QuantizedEmbedding::BytesOf(ComputeType type, int64_t vocabulary, int d) {
  return vocabulary * (cpu::GroupsOf(type, d) * cpu::kGroupBytes + int64_t{sizeof(float)});
}

void EmbedTokens(OpContext& context, const EmbeddingTable& table, PositionTable positions,
                 float scale, const int32_t* token, const int32_t* position, int64_t rows,
                 float* y) {
  const cpu::KernelTable& kernels = cpu::Kernels();
  const int d = table.d();
  cpu::ParallelFor(context, rows, d * 2, [&](int64_t begin, int64_t end, int /*thread*/) {
    for (int64_t r = begin; r < end; ++r) {
      const bool has_position = positions.rows != nullptr && token[r] != positions.unplaced;
      const float* added = has_position ? positions.rows + int64_t{position[r]} * d : nullptr;
      float* row = y + r * d;
      if (token[r] >= 0) {
        kernels.scale_add(table.Row(token[r], row), scale, added, d, row);
      } else if (added != nullptr) {
        std::copy_n(added, d, row);
      } else {
        std::fill_n(row, d, 0.0F);
      }
    }
  });
}

}  // namespace dragoman::kernels
