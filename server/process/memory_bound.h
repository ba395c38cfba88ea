// The most memory that the daemon comes to hold, part by part, from its settings: logged once at
// the start, so that its operator can give it a limit that suffices.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/api/engine.h"
#include "server/settings/config.h"

namespace dragoman {

struct MemoryPart {
  std::string name;  // as a field of the log, such as "weights"
  int64_t bytes = 0;
};

// The parts that are not the engine's: the process itself, the queues of requests and of lines, and
// what clients may have sent. They are known before a model is loaded.
std::vector<MemoryPart> ServingMemory(const ServerConfig& config);

// The bytes of ServingMemory that are held without any call.
int64_t ProcessBytes();

// All of it, with the engine's part on the host: weights, K/V at its largest, workspaces. `loading`
// is what the start took beyond that, of `start_peak` bytes that models held while they were
// loaded.
std::vector<MemoryPart> MemoryBound(const ServerConfig& config, const EngineStats& engine,
                                    int64_t start_peak);

int64_t SumOf(const std::vector<MemoryPart>& parts);

// Stacks of the threads that serving starts, which a limit on address space counts in full.
int64_t ThreadStackBytes();

}  // namespace dragoman
