// How much freed memory the C library's allocator keeps, and when the system gets it back.
//
// A reload frees a whole model. Left to itself glibc keeps most of it: it takes blocks of up to
// 32 MiB from its heaps once one of that size was freed, and gives back only what lies at a heap's
// end. After five reloads of the bundled model 190 MB were resident instead of 69.
#pragma once

#include <cstdint>

namespace dragoman::server {

// Large blocks (weights, packed weights, tables) always come straight from the system and go
// straight back. To be called before any thread is started.
void ConfigureAllocator();

// Gives every free page of the heaps back: some milliseconds, in which allocations of other threads
// may wait. To be called after a model has come or gone. Thread-safe.
void GiveBackFreeMemory();

// Bytes that the allocator has handed out and not got back, of all threads. Thread-safe.
int64_t AllocatedBytes();

}  // namespace dragoman::server
