// Decides how many workers and threads a model has on the CPU, and on which processors they run.
// Pure functions.
#pragma once

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

// Returns a plan with `workers` workers of `threads_per_worker` threads. If one of these numbers is
// 0, chooses it (server/README.md, "Workers", has the arithmetic). `per_cache` is the number of
// processors that share a last-level cache (0 or 1: unknown).
//   * With up to 16 processors, a worker has one thread. Several threads would wait for each other
//     at barriers, and a barrier costs milliseconds if another process is busy.
//   * Above 16, a worker has enough threads to keep the number of workers at 16. The rows of a
//     batch share the cost of reading the weights, so a worker is efficient only with many rows,
//     and 16 workers already need 16 times as many rows as one. The number of threads divides
//     `per_cache`.
WorkerPlan PlanWorkers(int cpus, int per_cache, int workers, int threads_per_worker);

// Returns `asked`. If that is 0, returns one thread per four CPUs, at least 1.
int TextThreads(int cpus, int asked);

struct PinRequest {
  Pinning pin = Pinning::kAuto;
  int first_cpu = 0;  // the index of the model's first processor in the topology
  int cpus = 1;
  int cpu_quota = 0;  // the quota of the control group in processors; 0: none
};

// Chooses the processors of each worker by PinRequest::pin. An empty result means that the system
// places the workers.
//   off    The result is empty.
//   auto   With several memory nodes, each worker runs on all processors of one node. The result is
//          empty if there is one node, if the quota allows less time than all processors have, or
//          if the model has too few processors for the plan.
//   cores  Each worker gets threads_per_worker processors of one node, which share a cache if
//          possible. INVALID_ARGUMENT if the model has too few processors, or if the quota allows
//          less time than all processors have.
absl::StatusOr<std::vector<engine::WorkerCpus>> PlaceWorkers(const CpuTopology& topology,
                                                             const PinRequest& request,
                                                             const WorkerPlan& plan);

}  // namespace dragoman::server
