#include "server/base/allocator.h"

#include <malloc.h>

namespace dragoman::server {

void ConfigureAllocator() {
  // Both fixed: otherwise the first follows the largest block that was ever freed, and the second is
  // twice that. Ends of heaps that are smaller than the second stay, for the next request.
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
