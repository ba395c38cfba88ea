// Finds the processors that this process may run on, and the nodes, caches and cores that they
// share (from /sys). Also finds the quota of processor time and the control groups of this process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman::server {

struct Cpu {
  int number = 0;
  int node = 0;     // the processor's memory node
  int cache = 0;    // the lowest number of the processors that share its last-level cache
  int core = 0;     // the lowest number of the processors that are threads of its core
  int sibling = 0;  // the processor's index among the threads of its core: 0, 1 ..
};

struct CpuTopology {
  // The first threads of all cores, then the second threads, and so on. Each group is sorted by
  // node, cache and core.
  std::vector<Cpu> cpus;
  int64_t cache_bytes = 0;  // the size of the largest last-level cache; 0: unknown

  // Returns the memory nodes of the processors, in ascending order.
  std::vector<int> Nodes() const;
  // Returns the largest number of these processors that share a last-level cache.
  int PerCache() const;
};

// Reads the topology of the processors `allowed`. A processor without data in /sys is on node 0, is
// a core of its own, and shares one cache with all other processors without data. `root` is ""
// except in tests, where it is a directory that contains sys.
CpuTopology ReadCpuTopology(const std::string& root, const std::vector<int>& allowed);

// Returns the process's affinity mask. It never has more processors than the control group's
// cpuset.
std::vector<int> AllowedCpus();

// ParseCpuList converts a list such as "0-3,8" to numbers; text of another form gives no numbers.
// CpuListText converts numbers to such a list.
std::vector<int> ParseCpuList(const std::string& text);
std::string CpuListText(std::vector<int> cpus);

// Returns the processor time that the quota of the control group allows, as a number of processors,
// or `if_none` without a quota. Rounds up, because some threads wait most of the time. `root` is ""
// except in tests, where it is a directory that contains proc/self/cgroup and sys/fs/cgroup.
int CgroupCpuLimit(const std::string& root, int if_none);

// Returns the lesser of the affinity mask's size and the control group's quota.
int CpuBudget();

struct CgroupDirectory {
  std::string path;     // of the directory that has the group's files
  std::string name;     // the group's path within its hierarchy: "/" or "/kubepods/pod1"
  bool unified = true;  // cgroup v2; else v1, in the controller's own hierarchy
};

// Returns the groups from the process's own group up to the root. The limits of a group bind all
// groups below it. Covers the hierarchies of cgroup v1 and v2 if there are both. The directory of a
// group may be missing, because a container mounts only a part of the hierarchy. `root` is as for
// CgroupCpuLimit.
std::vector<CgroupDirectory> CgroupDirectories(const std::string& root,
                                               const std::string& controller);

}  // namespace dragoman::server
