// Estimates from a measurement the replicas, cores and memory for a rate of characters. Pure.
//
// Sizes are bytes. A core is a processor of the measured machine, as the system counts them.
#pragma once

#include <cstdint>

namespace dragoman::client {

// Measurement of a daemon with a full batch.
struct PlanMeasurement {
  double seconds = 0;
  int64_t characters = 0;  // translated in that time
  double cpu_seconds = 0;  // of the daemon
  int workers = 1;         // of one thread each
  int64_t at_rest = 0;     // resident memory before the first call
  int64_t under_load = 0;  // maximum resident memory
  int64_t bound = 0;       // maximum memory by the daemon's own estimate
  int64_t per_worker = 0;  // part of `bound`: K/V and workspaces of one worker
};

struct PlanWish {
  double characters_per_second = 0;
  double utilisation = 0.7;  // intended share of a replica's capacity
  int cores = 2;             // per replica
  int spare = 1;             // replicas in addition to those that the rate needs
};

struct Plan {
  double characters_per_core_second = 0;  // at full load
  double core_hours_per_million = 0;      // per million characters, at the wanted utilisation
  double cores = 0;                       // for the rate, at that utilisation
  int replicas = 0;                       // including the spare ones
  int64_t at_rest = 0;                    // per replica
  int64_t under_load = 0;
  int64_t limit = 0;  // memory limit for each replica
};

// REQUIRES: characters, cpu_seconds and workers are above 0.
Plan Estimate(const PlanMeasurement& measured, const PlanWish& wish);

}  // namespace dragoman::client
