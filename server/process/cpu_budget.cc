#include "server/process/cpu_budget.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "server/process/cgroup.h"
#include "server/process/cpu_topology.h"

namespace dragoman {
namespace {

int CeilDivide(int64_t a, int64_t b) {
  return static_cast<int>(std::max<int64_t>(1, (a + b - 1) / b));
}

// The quota of one cgroup directory (v2), or `if_none`.
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

}  // namespace

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

}  // namespace dragoman
