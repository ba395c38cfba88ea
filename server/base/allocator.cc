#include "server/base/allocator.h"

#include <malloc.h>

namespace dragoman::server {

void ConfigureAllocator() {
  // Setting the thresholds stops glibc from adapting them. By itself it would raise the mmap
  // threshold to the size of the largest freed block, and the trim threshold to twice that size.
  // The trim threshold is the number of free bytes that a heap may keep at its end.
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
