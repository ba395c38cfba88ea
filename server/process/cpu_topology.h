// The processors that this process may run on and what they share, read from /sys, and how much of
// their time it may use.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman::server {

struct Cpu {
  int number = 0;
  int node = 0;     // its node of memory
  int cache = 0;    // the lowest processor of those that share its last level of cache
  int core = 0;     // the lowest processor of those that are threads of its core
  int sibling = 0;  // which of these threads it is: 0, 1 ..
};

struct CpuTopology {
  // The first threads of all cores, then the second ones; neighbours among them are next to each
  // other, by node, cache and core.
  std::vector<Cpu> cpus;
  int64_t cache_bytes = 0;  // of one last-level cache; 0: not known

  // The nodes of these processors, in ascending order.
  std::vector<int> Nodes() const;
  // The most of these processors that share a last level of cache.
  int PerCache() const;
};

// Reads the topology of the processors `allowed`. Those of which /sys says nothing are on node 0,
// share their cache with all others of this kind and are cores of their own. `root` is "" but in
// tests, where it holds sys.
CpuTopology ReadCpuTopology(const std::string& root, const std::vector<int>& allowed);

// The processors that the process may run on: its affinity mask, which the system keeps within the
// cpuset of the control group.
std::vector<int> AllowedCpus();

// Converts "0-3,8" to numbers, and back. Text of another form gives no numbers.
std::vector<int> ParseCpuList(const std::string& text);
std::string CpuListText(std::vector<int> cpus);

// How many processors' worth of time the quota of the control group allows, at least 1, or
// `if_none`. A quota of 1.5 CPUs counts as 2: the half is used by threads that wait most of the
// time. `root` is "" but in tests, where it holds proc/self/cgroup and sys/fs/cgroup.
int CgroupCpuLimit(const std::string& root, int if_none);

// How many processors this process may really use: the lesser of the affinity mask and the quota of
// the control group.
int CpuBudget();

}  // namespace dragoman::server
