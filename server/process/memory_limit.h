// How much memory this process may have: the machine's, its control groups', its own limits.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace dragoman {

// A number of bytes and where it comes from, for people.
struct MemoryLimit {
  int64_t bytes = 0;
  std::string source;  // "the machine", "the cgroup /kubepods/pod1", "ulimit -v"
};

struct MemoryLimits {
  // The most that the process may hold in all, whatever other processes do.
  MemoryLimit most;
  // The same, less the memory that other processes hold now and that cannot be taken back from
  // them.
  MemoryLimit now;
};

// The limits of the calling process. Page cache counts as free, because the system gives it up when
// memory is needed. Swap does not count. `root` is "" but in tests, where it holds proc and
// sys/fs/cgroup.
//
// Limits of address space (RLIMIT_AS) and of data (RLIMIT_DATA) count all that is mapped, resident
// or not. What is mapped is subtracted from them, except `held`, which the caller accounts for, and
// so are `thread_stacks`, those of threads to come.
MemoryLimits FindMemoryLimits(const std::string& root, int64_t held, int64_t thread_stacks);

// Under a limit of address space or of data, keeps the allocator from reserving 64 MiB for every
// thread. To be called before any thread is started.
void SaveAddressSpace();

// Checks that so many more threads can run: libraries end the process where one cannot start.
// RESOURCE_EXHAUSTED says how many could, and which limits may be the cause.
absl::Status CheckThreads(int count);

}  // namespace dragoman
