// How many CPUs this process may really use: its affinity mask and its cgroup's quota.
#pragma once

#include <string>

namespace dragoman {

// At least 1. A quota of 1.5 CPUs counts as 2: the half is used by threads that wait most of the
// time. `root` is "" but in tests, where it holds proc/self/cgroup and sys/fs/cgroup.
int CgroupCpuLimit(const std::string& root, int if_none);

// The lesser of the affinity mask and the cgroup quota (v2, else v1).
int CpuBudget();

}  // namespace dragoman
