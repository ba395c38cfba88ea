// Estimates the replicas, cores and memory that are needed to translate a given number of
// characters per second, from a measurement of one daemon. Thread-safety: pure function.
//
// Sizes are bytes. A core is a logical processor of the measured machine.
#pragma once

#include <cstdint>

namespace dragoman::client {

// A measurement of a daemon whose batch is full.
struct PlanMeasurement {
  double seconds = 0;
  int64_t characters = 0;  // characters that were translated in `seconds`
  double cpu_seconds = 0;  // the daemon's processor time in `seconds`
  int workers = 1;         // the daemon's workers, each with one thread
  int64_t at_rest = 0;     // the resident memory before the first call
  int64_t under_load = 0;  // the maximum resident memory
  int64_t bound = 0;       // the daemon's own estimate of its maximum memory
  int64_t per_worker = 0;  // the part of `bound` for the KV cache and the workspaces of one worker
};

struct PlanWish {
  double characters_per_second = 0;
  double utilisation = 0.7;  // the intended share of a replica's capacity
  int cores = 2;             // cores of a replica
  int spare = 1;             // replicas in addition to those that the rate requires
};

struct Plan {
  double characters_per_core_second = 0;  // at full load
  double core_hours_per_million = 0;      // per million characters, at PlanWish::utilisation
  double cores = 0;     // cores that all replicas need for the rate, at PlanWish::utilisation
  int replicas = 0;     // including the spare ones
  int64_t at_rest = 0;  // bytes of one replica before the first call
  int64_t under_load = 0;
  int64_t limit = 0;  // the memory limit to set for each replica
};

// REQUIRES: characters, cpu_seconds and workers are above 0.
Plan Estimate(const PlanMeasurement& measured, const PlanWish& wish);

}  // namespace dragoman::client
