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

// What is mapped, resident or not, as limits of address space (RLIMIT_AS) and of data (RLIMIT_DATA)
// count it.
struct MappedMemory {
  int64_t address_space = 0;
  int64_t data = 0;
};

// Of the calling process. `root` is "" but in tests, where it holds proc and sys/fs/cgroup.
MappedMemory FindMappedMemory(const std::string& root);

// Of the calling process. Page cache counts as free: it is given up for those who need memory. Swap
// does not count.
//
// Of a limit of address space or of data `fixed` is taken off, what is mapped for other things than
// those that the caller accounts for, and `thread_stacks`, of threads to come.
MemoryLimits FindMemoryLimits(const std::string& root, const MappedMemory& fixed,
                              int64_t thread_stacks);

// Under a limit of address space or of data, keeps the allocator from reserving 64 MiB for every
// thread. Before any thread is started.
void SaveAddressSpace();

// What may be in the way where memory or a thread cannot be had.
inline constexpr char kWhatLimits[] =
    "too little memory, or a limit on address space (ulimit -v), on processes (ulimit -u) or of "
    "the "
    "cgroup (pids.max)";

// Whether so many threads can run beside those that do: libraries end the process where one cannot.
// RESOURCE_EXHAUSTED says how many could, and what may be in the way.
absl::Status CheckThreads(int count);

}  // namespace dragoman
