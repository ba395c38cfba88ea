// Decides how many workers a model has on the CPU, of how many threads, and on which processors
// they run. Pure.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/api/create_engine.h"
#include "server/process/cpu_topology.h"
#include "server/settings/config.h"

namespace dragoman::server {

struct WorkerPlan {
  int workers = 1;
  int threads_per_worker = 1;
};

// Fills in what is 0 (server/README.md, "Workers", has the arithmetic). One thread a worker up to
// 16 processors: a batch on one core needs no barriers, and barriers beside a busy neighbour cost
// milliseconds. Above, as many threads as keep the number of workers at 16, because rows spread the
// cost of reading weights, and 16 batches are filled by 16 times the rows of one; their number
// divides `per_cache`, the processors that share a last level of cache (0 or 1: not known).
WorkerPlan PlanWorkers(int cpus, int per_cache, int workers, int threads_per_worker);

// `asked`, or where that is 0 one thread per four CPUs: text takes a few per cent of the time.
int TextThreads(int cpus, int asked);

// The processors of a model, and how its workers are to be placed on them.
struct PinRequest {
  Pinning pin = Pinning::kAuto;
  int first_cpu = 0;  // the model's processors are these of the topology
  int cpus = 1;
  int cpu_quota = 0;  // processors' worth of time that the control group has; 0: no quota
};

// Chooses places for the workers of a plan; none: wherever the system puts them.
//   off    none
//   auto   with several nodes of memory, on the processors of one node each, where nothing bounds
//          the process to fewer processors than it may run on; else none
//   cores  on threads_per_worker processors each that share a cache where possible, and never on
//          those of two nodes. INVALID_ARGUMENT where the model has too few of its own.
absl::StatusOr<std::vector<engine::WorkerCpus>> PlaceWorkers(const CpuTopology& topology,
                                                             const PinRequest& request,
                                                             const WorkerPlan& plan);

}  // namespace dragoman::server
