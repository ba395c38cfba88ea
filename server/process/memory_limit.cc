#include "server/process/memory_limit.h"

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/base/mutex.h"
#include "engine/base/out_of_memory.h"
#include "server/call/jobs/job_runner.h"
#include "server/process/cpu_topology.h"
#include "server/process/job_directory.h"
#include "server/transport/guard.h"

namespace dragoman::server {
namespace {

constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
constexpr int64_t kKilobyte = 1024;

// Returns the number in a file; nullopt for "max", or if there is no such file.
std::optional<int64_t> NumberIn(const std::string& path) {
  std::ifstream file(path);
  int64_t number = 0;
  if (!(file >> number) || number < 0) return std::nullopt;
  return number;
}

// Parses lines of "name number", with or without a colon. Numbers are multiples of `unit` bytes.
std::map<std::string, int64_t> NumbersIn(const std::string& path, int64_t unit) {
  std::map<std::string, int64_t> numbers;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t end = line.find_first_of(": \t");
    if (end == std::string::npos) continue;
    const size_t digits = line.find_first_of("0123456789", end);
    if (digits == std::string::npos) continue;
    int64_t value = 0;
    for (size_t i = digits; i < line.size() && line[i] >= '0' && line[i] <= '9'; ++i) {
      if (value < kNone / (100 * unit)) value = value * 10 + (line[i] - '0');
    }
    numbers[line.substr(0, end)] = value * unit;
  }
  return numbers;
}

void Lower(MemoryLimit* limit, int64_t bytes, const std::string& source) {
  // At least 1, because 0 would mean no limit.
  if (bytes < limit->bytes) *limit = {std::max<int64_t>(bytes, 1), source};
}

// `own` is the memory of this process in bytes. The group's usage includes it.
void LowerByGroup(const CgroupDirectory& group, int64_t own, MemoryLimits* limits) {
  const std::string at = group.path + "/";
  const auto most = NumberIn(at + (group.unified ? "memory.max" : "memory.limit_in_bytes"));
  if (!most.has_value()) return;
  const std::string source = "the cgroup " + group.name;
  Lower(&limits->most, *most, source);
  const auto used = NumberIn(at + (group.unified ? "memory.current" : "memory.usage_in_bytes"));
  auto stat = NumbersIn(at + "memory.stat", 1);
  const std::string prefix = group.unified ? "" : "total_";
  const int64_t cache = stat[prefix + "inactive_file"] + stat[prefix + "active_file"];
  Lower(&limits->now, *most - std::max<int64_t>(used.value_or(0) - cache - own, 0), source);
}

void LowerByOwn(__rlimit_resource_t resource, int64_t mapped, int64_t thread_stacks,
                const char* source, MemoryLimits* limits) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  const auto bytes = static_cast<int64_t>(std::min<rlim_t>(limit.rlim_cur, kNone));
  const int64_t left = bytes - std::max<int64_t>(mapped, 0) - thread_stacks;
  Lower(&limits->most, left, source);
  Lower(&limits->now, left, source);
}

bool IsLimited(__rlimit_resource_t resource) {
  rlimit limit{};
  return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

// The bytes of code, libraries, gRPC, the allocator and stacks. Measured: 60 MB before the first
// call, 90 MB after hours of mixed calls.
constexpr int64_t kProcessBytes = int64_t{128} << 20;

// The bytes of a waiting segment: its options, its length normalization (512 divisors), and its
// entry in the job.
constexpr int64_t kSegmentBytes = 4096;
// Bytes of a source token: its id and its text, and the ids and log-probs of its target tokens. The
// default max_length_ratio allows three target tokens for each source token.
constexpr int64_t kTokenBytes = 64;

// The number of threads of the engine and of gRPC that start after FindMemoryLimits.
constexpr int64_t kThreads = 24;

}  // namespace

MemoryLimits FindMemoryLimits(const std::string& root, int64_t held, int64_t thread_stacks) {
  MemoryLimits limits{{kNone, "the machine"}, {kNone, "the machine"}};
  auto status = NumbersIn(root + "/proc/self/status", kKilobyte);
  // Counts anonymous memory only, because page cache already counts as free.
  const int64_t own = status["RssAnon"];
  auto machine = NumbersIn(root + "/proc/meminfo", kKilobyte);
  if (machine.contains("MemTotal")) limits.most.bytes = machine["MemTotal"];
  if (machine.contains("MemAvailable")) {
    limits.now.bytes = std::min(machine["MemAvailable"] + own, limits.most.bytes);
  } else {
    limits.now.bytes = limits.most.bytes;
  }
  for (const CgroupDirectory& group : CgroupDirectories(root, "memory")) {
    LowerByGroup(group, own, &limits);
  }
  LowerByOwn(RLIMIT_AS, status["VmSize"] - held, thread_stacks,
             "the limit of address space (ulimit -v)", &limits);
  LowerByOwn(RLIMIT_DATA, status["VmData"] - held, thread_stacks, "the limit of data (ulimit -d)",
             &limits);
  return limits;
}

void SaveAddressSpace() {
  constexpr int kArenas = 2;
  if (IsLimited(RLIMIT_AS) || IsLimited(RLIMIT_DATA)) mallopt(M_ARENA_MAX, kArenas);
}

absl::Status CheckThreads(int count) {
  engine::Mutex mu;
  engine::CondVar changed;
  bool over = false;
  std::vector<std::thread> threads;
  threads.reserve(static_cast<size_t>(count));
  absl::Status status;
  try {
    while (static_cast<int>(threads.size()) < count) {
      threads.emplace_back([&] {
        engine::MutexLock lock(&mu);
        while (!over) changed.Wait(&mu);
      });
    }
  } catch (const std::system_error& e) {
    status = absl::ResourceExhaustedError(
        absl::StrCat("no thread could be started (", e.what(), ") after ", threads.size(), " of ",
                     count, " that serving needs: ", engine::kWhatLimits));
  }
  {
    engine::MutexLock lock(&mu);
    over = true;
    changed.NotifyAll();
  }
  for (std::thread& thread : threads) thread.join();
  return status;
}

std::vector<MemoryPart> ServingMemory(const ServerConfig& config, const DetectorMemory& detector) {
  int64_t queues = 0;
  for (const ModelSettings& model : config.models) {
    queues += model.max_queue_segments * kSegmentBytes + model.max_queue_tokens * kTokenBytes;
  }
  // Adds a quarter, because the queue may have more than its capacity. One call may fill the whole
  // queue, but only a part of its size counts for its client: at least 78 % (LargestPart in
  // engine/base/shared_capacity.h). Other clients may then add the rest.
  queues += queues / 4;
  std::vector<MemoryPart> parts = {{"process", kProcessBytes},
                                   {"language_model", detector.held},
                                   {"request_queue", queues},
                                   {"log_queue", kLogQueueBytes + kOutputQueueBytes}};
  if (config.jobs_mb > 0) parts.push_back({"jobs", JobMemoryBytes(MaxJobBytes(config))});
  // Serving::Start reports settings that contradict each other.
  const auto transport = ComputeTransportLimits(config, RaiseDescriptorLimit());
  if (transport.ok()) {
    parts.push_back(
        {"network", transport->quota_bytes + transport->tls_bytes + transport->http_bytes});
  }
  return parts;
}

int64_t ProcessBytes() { return kProcessBytes; }

std::vector<MemoryPart> MemoryBound(const ServerConfig& config, const DetectorMemory& detector,
                                    const engine::EngineStats& engine, int64_t start_peak) {
  MemoryPart weights{"weights"};
  MemoryPart kv{"kv"};
  MemoryPart workspaces{"workspaces"};
  for (const engine::DeviceMemory& device : engine.memory) {
    if (device.device != "cpu") continue;
    weights.bytes += device.weights;
    kv.bytes += device.kv;
    workspaces.bytes += device.workspace;
  }
  std::vector<MemoryPart> parts = {weights, kv, workspaces};
  for (MemoryPart& part : ServingMemory(config, detector)) parts.push_back(std::move(part));
  // No call runs while the models are loaded at the start, so loading can use the parts for calls.
  const int64_t loading = std::max(detector.loading, detector.held + start_peak);
  const int64_t beyond = kProcessBytes + loading - SumOf(parts);
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

}  // namespace dragoman::server
