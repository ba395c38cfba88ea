// Finds how much memory this process may use: the machine's memory, the limits of its control
// groups and its own limits. Also computes an upper bound on the memory that it will use, as a list
// of parts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "engine/api/engine.h"
#include "server/call/detect/open_detector.h"
#include "server/settings/config.h"

namespace dragoman::server {

struct MemoryLimit {
  int64_t bytes = 0;
  std::string source;  // "the machine", "the cgroup /kubepods/pod1", "ulimit -v"
};

struct MemoryLimits {
  // The maximum for the process, even if other processes use little memory.
  MemoryLimit most;
  // `most`, minus the memory that other processes use and that the system cannot make them release.
  MemoryLimit now;
};

// Returns the limits of the calling process. Page cache counts as free, because the system releases
// it when memory is needed. Swap does not count. `root` is "" except in tests, where it has proc
// and sys/fs/cgroup.
//
// The limits on address space (RLIMIT_AS) and data (RLIMIT_DATA) count all mapped memory, even if
// it is not resident. So the mapped memory is subtracted from these two limits, except `held`
// bytes, which the caller subtracts itself. `thread_stacks` is also subtracted. These are the stack
// bytes of threads that will start later.
MemoryLimits FindMemoryLimits(const std::string& root, int64_t held, int64_t thread_stacks);

// If the process has a limit on its address space or its data (RLIMIT_AS, RLIMIT_DATA), keeps the
// allocator from reserving 64 MiB for every thread.
// REQUIRES: called before any thread is started.
void SaveAddressSpace();

// Checks that `count` more threads can run, because libraries end the process if they cannot start
// a thread. RESOURCE_EXHAUSTED says how many could start, and which limits may be the cause.
absl::Status CheckThreads(int count);

// A part of the upper bound on the daemon's memory. The parts are logged at the start, so that the
// operator can choose a sufficient limit.
struct MemoryPart {
  std::string name;  // the name of its log field, such as "weights"
  int64_t bytes = 0;
};

// Returns the parts that do not belong to the engine: the process itself, the language detector,
// the queues of requests and of log lines, and data from clients. They are known before a model is
// loaded.
std::vector<MemoryPart> ServingMemory(const ServerConfig& config, const DetectorMemory& detector);

// Returns the bytes of ServingMemory that are in use without any call, except the detector's.
int64_t ProcessBytes();

// Returns the parts of ServingMemory and those of the engine on the host: weights, the KV cache at
// full size, workspaces. The part `loading` is the memory that the start needed in addition to the
// sum of the other parts. `start_peak` is the peak of loading the models.
std::vector<MemoryPart> MemoryBound(const ServerConfig& config, const DetectorMemory& detector,
                                    const engine::EngineStats& engine, int64_t start_peak);

int64_t SumOf(const std::vector<MemoryPart>& parts);

// Returns the stack bytes of the threads that serving starts.
int64_t ThreadStackBytes();

}  // namespace dragoman::server
