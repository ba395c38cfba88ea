// Controls how much freed memory the C library's allocator keeps. A reload frees a whole model, but
// by default glibc keeps most of this memory. It raises its mmap threshold to the size of the
// largest freed block, at most 32 MiB, takes smaller blocks from its heaps, and returns only the
// free end of a heap to the system. By default, 190 MB were resident after five reloads of the
// bundled model, instead of 69 MB.
#pragma once

#include <cstdint>

namespace dragoman::server {

// Makes blocks of at least 1 MiB (weights, packed weights, tables) come directly from the system
// and return directly to it. REQUIRES: no other thread has been started.
void ConfigureAllocator();

// Returns all free pages of the heaps to the system. Takes some milliseconds, during which other
// threads may wait for allocations. Call it after a model was loaded or unloaded. Thread-safe.
void GiveBackFreeMemory();

// Returns the number of bytes that all threads together have allocated now. Thread-safe.
int64_t AllocatedBytes();

}  // namespace dragoman::server
