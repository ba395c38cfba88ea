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
  // What the process may hold in all. Beyond it there is no memory, whatever others do.
  MemoryLimit most;
  // The same, less what other processes hold now and what cannot be taken back from them.
  MemoryLimit now;
};

// Of the calling process. Page cache counts as free: it is given up for those who need memory. Swap
// does not count. `root` is "" but in tests, where it holds proc and sys/fs/cgroup.
//
// Limits of address space (RLIMIT_AS) and of data (RLIMIT_DATA) count all that is mapped, resident
// or not. Of them what is mapped is taken off but for `held`, which the caller accounts for, and
// `thread_stacks`, of threads to come.
MemoryLimits FindMemoryLimits(const std::string& root, int64_t held, int64_t thread_stacks);

// Under a limit of address space or of data, keeps the allocator from reserving 64 MiB for every
// thread. Before any thread is started.
void SaveAddressSpace();

// Whether so many threads can run beside those that do: libraries end the process where one cannot.
// RESOURCE_EXHAUSTED says how many could, and what may be in the way.
absl::Status CheckThreads(int count);

}  // namespace dragoman
