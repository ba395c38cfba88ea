// Estimates from one measurement how many replicas and cores and how much memory a rate of characters
// takes. Pure.
//
// Sizes are bytes; a core is a processor as the system counts them, on the machine that was measured.
#pragma once

#include <cstdint>
#include <string>

namespace dragoman::client {

// A daemon with a full batch, for some seconds.
struct PlanMeasurement {
  double seconds = 0;
  int64_t characters = 0;  // that were translated meanwhile
  double cpu_seconds = 0;  // of the daemon
  int workers = 1;         // it had, each of one thread
  int64_t at_rest = 0;     // resident, before the first call
  int64_t under_load = 0;  // resident at most
  int64_t bound = 0;       // the most that it can come to hold
  int64_t per_worker = 0;  // of that: K/V and workspaces of one worker
};

struct PlanWish {
  double characters_per_second = 0;
  double utilisation = 0.7;  // the share of what a replica can do that it is to be asked for
  int cores = 2;             // of a replica
  int spare = 1;             // replicas beyond those that the rate needs
};

struct Plan {
  double characters_per_core_second = 0;  // at full load
  double core_hours_per_million = 0;      // characters, at the utilisation wished for
  double cores = 0;                       // that the rate needs at that utilisation
  int replicas = 0;                       // the spare ones among them
  int64_t at_rest = 0;                    // of one replica
  int64_t under_load = 0;
  int64_t limit = 0;  // to be given to it
};

// REQUIRES: characters, cpu_seconds and workers above 0.
Plan Estimate(const PlanMeasurement& measured, const PlanWish& wish);

}  // namespace dragoman::client
