// Controls how much freed memory the C library's allocator keeps. A reload frees a whole model. By
// default, glibc keeps most of this memory: once it has freed a block of up to 32 MiB, it takes
// such blocks from its heaps, and it returns only the end of a heap. After five reloads of the
// bundled model, 190 MB were resident instead of 69.
#pragma once

#include <cstdint>

namespace dragoman::server {

// Makes large blocks (weights, packed weights, tables) come directly from the system and return
// directly to it. REQUIRES: no other thread has been started.
void ConfigureAllocator();

// Returns all free pages of the heaps to the system. Takes some milliseconds, during which other
// threads may wait for allocations. Call it after a model was loaded or unloaded. Thread-safe.
void GiveBackFreeMemory();

// Returns the bytes that are allocated now, by all threads. Thread-safe.
int64_t AllocatedBytes();

}  // namespace dragoman::server
