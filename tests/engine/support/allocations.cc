#include "tests/engine/support/allocations.h"

#include <cstdlib>
#include <new>

namespace {
thread_local int64_t allocations = 0;
}  // namespace

// These functions have their own file so that the compiler cannot remove pairs of new and delete.
void* operator new(size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
// The standard library frees this memory with the plain delete.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }

namespace dragoman::testing {

int64_t Allocations() { return allocations; }

}  // namespace dragoman::testing
