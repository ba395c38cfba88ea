#include <algorithm>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/parallel.h"
#include "kernels/ops/embed.h"

namespace dragoman {

void EmbedTokens(OpContext& context, const float* table, const float* position_table, float scale,
                 const int32_t* token, const int32_t* position, int64_t rows, int d, float* y) {
  const cpu::KernelTable& kernels = cpu::Kernels();
  cpu::ParallelFor(context, rows, d * 2, [&](int64_t begin, int64_t end, int /*thread*/) {
    for (int64_t r = begin; r < end; ++r) {
      const float* added =
          position_table == nullptr ? nullptr : position_table + int64_t{position[r]} * d;
      float* row = y + r * d;
      if (token[r] >= 0) {
        kernels.scale_add(table + int64_t{token[r]} * d, scale, added, d, row);
      } else if (added != nullptr) {
        std::copy_n(added, d, row);
      } else {
        std::fill_n(row, d, 0.0F);
      }
    }
  });
}

}  // namespace dragoman
