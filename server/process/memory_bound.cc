#include "server/process/memory_bound.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "server/guard/guard.h"

namespace dragoman {
namespace {

// Code and libraries, gRPC's and the allocator's own, stacks: 60 MB are seen at rest and 90 after
// hours of mixed calls.
constexpr int64_t kProcessBytes = int64_t{128} << 20;

// A segment that waits: its options, divisors for 512 positions, its place in the job. A token of
// it: its id, the text that it stands for, and those of the tokens that it becomes, three with the
// default ratio, with their log-probs.
constexpr int64_t kSegmentBytes = 4096;
constexpr int64_t kTokenBytes = 64;

// Threads of the engine and of gRPC that are still to come when the limits are looked at.
constexpr int64_t kThreads = 24;

}  // namespace

std::vector<MemoryPart> ServingMemory(const ServerConfig& config) {
  int64_t queues = 0;
  for (const ModelSettings& model : config.models) {
    queues += model.max_queue_segments * kSegmentBytes + model.max_queue_tokens * kTokenBytes;
  }
  // Beside a call of the whole queue, which counts as a client's largest part of it, other clients
  // may take the rest.
  queues += queues / 4;
  std::vector<MemoryPart> parts = {{"process", kProcessBytes},
                                   {"request_queue", queues},
                                   {"log_queue", kLogQueueBytes + kOutputQueueBytes}};
  // Settings that contradict each other refuse the start elsewhere.
  const auto transport = ComputeTransportLimits(config, RaiseDescriptorLimit());
  if (transport.ok()) {
    parts.push_back(
        {"network", transport->quota_bytes + transport->tls_bytes + transport->http_bytes});
  }
  return parts;
}

int64_t ProcessBytes() { return kProcessBytes; }

std::vector<MemoryPart> MemoryBound(const ServerConfig& config, const EngineStats& engine,
                                    int64_t start_peak) {
  MemoryPart weights{"weights"};
  MemoryPart kv{"kv"};
  MemoryPart workspaces{"workspaces"};
  for (const DeviceMemory& device : engine.memory) {
    if (device.device != "cpu") continue;
    weights.bytes += device.weights;
    kv.bytes += device.kv;
    workspaces.bytes += device.workspace;
  }
  std::vector<MemoryPart> parts = {weights, kv, workspaces};
  for (MemoryPart& part : ServingMemory(config)) parts.push_back(std::move(part));
  // There are no calls yet while the models of the start are loaded.
  const int64_t beyond = kProcessBytes + start_peak - SumOf(parts);
  parts.push_back({"loading", std::max<int64_t>(beyond, 0)});
  return parts;
}

int64_t SumOf(const std::vector<MemoryPart>& parts) {
  int64_t sum = 0;
  for (const MemoryPart& part : parts) sum += part.bytes;
  return sum;
}

int64_t ThreadStackBytes() {
  rlimit limit{};
  constexpr int64_t kUsual = int64_t{8} << 20;
  const bool known = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return kThreads * (known ? static_cast<int64_t>(limit.rlim_cur) : kUsual);
}

}  // namespace dragoman
