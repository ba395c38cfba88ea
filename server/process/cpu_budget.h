// How many CPUs this process may really use: its affinity mask and its cgroup's quota.
#pragma once

#include <string>

namespace dragoman {

// At least 1. A quota of 1.5 CPUs counts as 2: the half is used by threads that wait most of the
// time. `root` is "" but in tests, where it holds proc/self/cgroup and sys/fs/cgroup.
int CgroupCpuLimit(const std::string& root, int if_none);

// The lesser of the affinity mask and the cgroup quota (v2, else v1).
int CpuBudget();

struct WorkerPlan {
  int workers = 1;
  int threads_per_worker = 1;
};

// Fills in what is 0. One thread per worker up to 16 CPUs: a batch on one core needs no barriers,
// and barriers beside a busy neighbour cost milliseconds. Above, as many threads as keep the number
// of workers at 16 (each has a batch and a cache of its own).
WorkerPlan PlanWorkers(int cpus, int workers, int threads_per_worker);

// `asked`, or where that is 0 one thread per four CPUs: text takes a few per cent of the time.
int TextThreads(int cpus, int asked);

}  // namespace dragoman
