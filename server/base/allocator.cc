#include "server/base/allocator.h"

#include <malloc.h>

namespace dragoman::server {

void ConfigureAllocator() {
  // Fixes both thresholds. Otherwise the first becomes the size of the largest freed block, the
  // second twice that. The free end of a heap is kept up to the second.
  constexpr int kFromTheSystem = 1 << 20;
  constexpr int kKeptAtTheEnd = 32 << 20;
  mallopt(M_MMAP_THRESHOLD, kFromTheSystem);
  mallopt(M_TRIM_THRESHOLD, kKeptAtTheEnd);
}

void GiveBackFreeMemory() { malloc_trim(0); }

int64_t AllocatedBytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

}  // namespace dragoman::server
