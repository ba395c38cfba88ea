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
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/base/mutex.h"
#include "engine/base/out_of_memory.h"
#include "server/process/cgroup.h"

namespace dragoman {
namespace {

constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
constexpr int64_t kKilobyte = 1024;

// The number in a file; unset for "max" and where there is no such file.
std::optional<int64_t> NumberIn(const std::string& path) {
  std::ifstream file(path);
  int64_t number = 0;
  if (!(file >> number) || number < 0) return std::nullopt;
  return number;
}

// Lines of "name number", with or without a colon: kilobytes where `unit` says so.
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
  // Never 0, which would be no limit.
  if (bytes < limit->bytes) *limit = {std::max<int64_t>(bytes, 1), source};
}

// `own` bytes are this process's, which is in the group.
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

}  // namespace

MemoryLimits FindMemoryLimits(const std::string& root, int64_t held, int64_t thread_stacks) {
  MemoryLimits limits{{kNone, "the machine"}, {kNone, "the machine"}};
  auto status = NumbersIn(root + "/proc/self/status", kKilobyte);
  // Pages of files are cache, and counted as free already.
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
  Mutex mu;
  CondVar changed;
  bool over = false;
  std::vector<std::thread> threads;
  threads.reserve(static_cast<size_t>(count));
  absl::Status status;
  try {
    while (static_cast<int>(threads.size()) < count) {
      threads.emplace_back([&] {
        MutexLock lock(&mu);
        while (!over) changed.Wait(&mu);
      });
    }
  } catch (const std::system_error& e) {
    status = absl::ResourceExhaustedError(absl::StrCat("no thread could be started (", e.what(),
                                                       ") after ", threads.size(), " of ", count,
                                                       " that serving needs: ", kWhatLimits));
  }
  {
    MutexLock lock(&mu);
    over = true;
    changed.NotifyAll();
  }
  for (std::thread& thread : threads) thread.join();
  return status;
}

}  // namespace dragoman
