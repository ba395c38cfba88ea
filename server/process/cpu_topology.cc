#include "server/process/cpu_topology.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <thread>
#include <tuple>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace dragoman::server {
namespace {

// The limit on processor numbers. No machine has larger ones, so a larger number is an error.
constexpr int kMostCpus = 1 << 16;

std::string LineOf(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Parses "32768K" or "480M" to bytes. A number without a unit is bytes. Returns 0 for other text.
int64_t SizeOf(const std::string& text) {
  int64_t size = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, size);
  if (error != std::errc() || size < 0 || size > int64_t{1} << 32) return 0;
  const std::string_view unit(rest, static_cast<size_t>(end - rest));
  if (unit == "K") return size << 10;
  if (unit == "M") return size << 20;
  return unit.empty() ? size : 0;
}

struct Cache {
  std::vector<int> shared_by;
  int64_t bytes = 0;
};

Cache LastCache(const std::string& cpu) {
  Cache last;
  int highest = 0;
  for (int index = 0;; ++index) {
    const std::string at = absl::StrCat(cpu, "/cache/index", index, "/");
    int level = 0;
    if (!absl::SimpleAtoi(LineOf(at + "level"), &level)) return last;
    if (level <= highest || LineOf(at + "type") == "Instruction") continue;
    highest = level;
    last = {ParseCpuList(LineOf(at + "shared_cpu_list")), SizeOf(LineOf(at + "size"))};
  }
}

std::map<int, int> NodesOf(const std::string& root) {
  std::map<int, int> node_of;
  std::error_code error;
  const std::filesystem::directory_iterator nodes(root + "/sys/devices/system/node", error);
  if (error) return node_of;
  for (const auto& entry : nodes) {
    const std::string name = entry.path().filename().string();
    int node = 0;
    if (name.rfind("node", 0) != 0 || !absl::SimpleAtoi(name.substr(4), &node)) continue;
    for (const int cpu : ParseCpuList(LineOf(entry.path().string() + "/cpulist"))) {
      node_of[cpu] = node;
    }
  }
  return node_of;
}

int CeilDivide(int64_t a, int64_t b) {
  return static_cast<int>(std::max<int64_t>(1, (a + b - 1) / b));
}

int V2Limit(const std::string& directory, int if_none) {
  std::ifstream file(directory + "/cpu.max");
  std::string quota;
  int64_t period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return if_none;
  int64_t value = 0;
  if (!(std::istringstream(quota) >> value) || value <= 0) return if_none;
  return CeilDivide(value, period);
}

int V1Limit(const std::string& directory, int if_none) {
  std::ifstream quota_file(directory + "/cpu.cfs_quota_us");
  std::ifstream period_file(directory + "/cpu.cfs_period_us");
  int64_t quota = 0;
  int64_t period = 0;
  if (!(quota_file >> quota) || !(period_file >> period) || quota <= 0 || period <= 0) {
    return if_none;
  }
  return CeilDivide(quota, period);
}

void AddUpward(const std::string& mount, std::string name, bool unified,
               std::vector<CgroupDirectory>* out) {
  while (true) {
    out->push_back({mount + name, name.empty() ? "/" : name, unified});
    const size_t slash = name.find_last_of('/');
    if (name.empty() || slash == std::string::npos) return;
    name.resize(slash);
  }
}

}  // namespace

std::vector<int> CpuTopology::Nodes() const {
  std::set<int> nodes;
  for (const Cpu& cpu : cpus) nodes.insert(cpu.node);
  return {nodes.begin(), nodes.end()};
}

int CpuTopology::PerCache() const {
  std::map<int, int> count;
  int most = 0;
  for (const Cpu& cpu : cpus) most = std::max(most, ++count[cpu.cache]);
  return most;
}

std::vector<int> ParseCpuList(const std::string& text) {
  std::vector<int> cpus;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const std::vector<absl::string_view> ends = absl::StrSplit(part, '-');
    int first = 0;
    int last = 0;
    if (ends.size() > 2 || !absl::SimpleAtoi(ends.front(), &first) ||
        !absl::SimpleAtoi(ends.back(), &last) || first < 0 || last < first || last >= kMostCpus) {
      return {};
    }
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

std::string CpuListText(std::vector<int> cpus) {
  std::sort(cpus.begin(), cpus.end());
  std::string text;
  for (size_t i = 0; i < cpus.size();) {
    size_t end = i + 1;
    while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) ++end;
    absl::StrAppend(&text, text.empty() ? "" : ",", cpus[i]);
    if (end - i > 1) absl::StrAppend(&text, "-", cpus[end - 1]);
    i = end;
  }
  return text;
}

CpuTopology ReadCpuTopology(const std::string& root, const std::vector<int>& allowed) {
  const std::map<int, int> node_of = NodesOf(root);
  CpuTopology topology;
  for (const int number : allowed) {
    const std::string at = absl::StrCat(root, "/sys/devices/system/cpu/cpu", number);
    Cpu cpu;
    cpu.number = number;
    const auto node = node_of.find(number);
    cpu.node = node == node_of.end() ? 0 : node->second;
    const std::vector<int> threads = ParseCpuList(LineOf(at + "/topology/thread_siblings_list"));
    cpu.core = threads.empty() ? number : *std::min_element(threads.begin(), threads.end());
    cpu.sibling = static_cast<int>(
        std::count_if(threads.begin(), threads.end(), [&](int t) { return t < number; }));
    const Cache cache = LastCache(at);
    if (!cache.shared_by.empty()) {
      cpu.cache = *std::min_element(cache.shared_by.begin(), cache.shared_by.end());
    }
    topology.cache_bytes = std::max(topology.cache_bytes, cache.bytes);
    topology.cpus.push_back(cpu);
  }
  std::sort(topology.cpus.begin(), topology.cpus.end(), [](const Cpu& a, const Cpu& b) {
    return std::tie(a.sibling, a.node, a.cache, a.core, a.number) <
           std::tie(b.sibling, b.node, b.cache, b.core, b.number);
  });
  return topology;
}

std::vector<int> AllowedCpus() {
  std::vector<int> cpus;
  // Tries larger and larger masks, because the system refuses a mask that is smaller than its own.
  for (int size = 1024; size <= kMostCpus; size *= 2) {
    cpu_set_t* const mask = CPU_ALLOC(size);
    const size_t bytes = CPU_ALLOC_SIZE(size);
    CPU_ZERO_S(bytes, mask);
    if (sched_getaffinity(0, bytes, mask) == 0) {
      for (int i = 0; i < size; ++i) {
        if (CPU_ISSET_S(static_cast<size_t>(i), bytes, mask)) cpus.push_back(i);
      }
    }
    CPU_FREE(mask);
    if (!cpus.empty()) return cpus;
  }
  const int all = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  for (int i = 0; i < all; ++i) cpus.push_back(i);
  return cpus;
}

int CgroupCpuLimit(const std::string& root, int if_none) {
  int least = if_none;
  for (const CgroupDirectory& group : CgroupDirectories(root, "cpu")) {
    least = std::min(least,
                     group.unified ? V2Limit(group.path, if_none) : V1Limit(group.path, if_none));
  }
  return std::max(1, least);
}

int CpuBudget() {
  const int cpus = static_cast<int>(AllowedCpus().size());
  return std::min(cpus, CgroupCpuLimit("", cpus));
}

std::vector<CgroupDirectory> CgroupDirectories(const std::string& root,
                                               const std::string& controller) {
  std::vector<CgroupDirectory> out;
  std::ifstream groups(root + "/proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first, second - first) + ",";  // ":cpu,cpuacct,"
    const std::string name = line.substr(second + 1);
    if (controllers == ":,") {
      AddUpward(root + "/sys/fs/cgroup", name, true, &out);
    } else if (controllers.find(":" + controller + ",") == 0 ||
               controllers.find("," + controller + ",") != std::string::npos) {
      AddUpward(root + "/sys/fs/cgroup/" + controller, name, false, &out);
    }
  }
  return out;
}

}  // namespace dragoman::server
