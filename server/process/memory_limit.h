// How much memory this process may have (the machine's, its control groups', its own limits), and
// how much it comes to hold, part by part.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "engine/api/engine.h"
#include "server/call/detect/open_detector.h"
#include "server/settings/config.h"

namespace dragoman::server {

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

// A part of the most memory that the daemon comes to hold. The parts follow from its settings and
// are logged once at the start, so that its operator can give it a limit that suffices.
struct MemoryPart {
  std::string name;  // as a field of the log, such as "weights"
  int64_t bytes = 0;
};

// The parts that are not the engine's: the process itself, the detector of languages, the queues of
// requests and of lines, and what clients may have sent. They are known before a model is loaded.
std::vector<MemoryPart> ServingMemory(const ServerConfig& config, const DetectorMemory& detector);

// The bytes of ServingMemory that are held without any call, but for the detector's.
int64_t ProcessBytes();

// All of it, with the engine's part on the host: weights, K/V at its largest, workspaces. `loading`
// is what the start took beyond that, of `start_peak` bytes that models held while they were
// loaded, and before them the detector.
std::vector<MemoryPart> MemoryBound(const ServerConfig& config, const DetectorMemory& detector,
                                    const engine::EngineStats& engine, int64_t start_peak);

int64_t SumOf(const std::vector<MemoryPart>& parts);

// Stacks of the threads that serving starts, which a limit on address space counts in full.
int64_t ThreadStackBytes();

}  // namespace dragoman::server
