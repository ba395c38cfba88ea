#include <algorithm>
#include <cstddef>

#include "kernels/search/prepare_row.h"
#include "tests/gpu/variants/host_bans.h"

namespace dragoman::kernels {

int64_t BanRepeatedNgrams(const int32_t* tokens, int64_t stride, std::span<const int32_t> length,
                          int32_t n, int32_t* offsets, int32_t* ids) {
  int32_t* end = ids;
  offsets[0] = 0;
  for (size_t r = 0; r < length.size(); ++r) {
    const int32_t* const row = tokens + static_cast<int64_t>(r) * stride;
    int32_t* const begin = end;
    ForRepeatedNgrams(
        n, length[r], [&](int32_t i) { return row[i]; }, [&](int32_t id) { *end++ = id; });
    std::sort(begin, end);
    end = std::unique(begin, end);
    offsets[r + 1] = static_cast<int32_t>(end - ids);
  }
  return end - ids;
}

}  // namespace dragoman::kernels
