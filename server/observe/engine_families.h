// Metric families of what the engines are doing, and of what the kernel knows of this process.
//
// Pure functions of their arguments and /proc/self.
#pragma once

#include <prometheus/metric_family.h>

#include <string>
#include <vector>

#include "engine/api/engine.h"
#include "server/base/connection_stats.h"
#include "server/observe/span.h"

namespace dragoman::server {

// One model that is served: all its versions together, and the one that takes calls.
struct ModelStats {
  std::string name;
  engine::EngineStats stats;
  std::string family;
  std::string device;
  std::string compute_type;
  std::string checksum;
  int version = 0;
  engine::Nanos load_duration = 0;
};

// `now` is the engine clock's time of the stats, `unix_now_seconds` the same moment on the wall.
std::vector<prometheus::MetricFamily> EngineFamilies(const std::vector<ModelStats>& models,
                                                     engine::Nanos now, double unix_now_seconds);

// process_resident_memory_bytes and the like, under their customary names, without those that /proc
// does not give.
std::vector<prometheus::MetricFamily> ProcessFamilies();

// Connections of a port.
std::vector<prometheus::MetricFamily> ConnectionFamilies(const std::string& port,
                                                         const ConnectionStats& stats);

// How many spans were exported and how many were lost.
prometheus::MetricFamily SpanFamily(const SpanCounts& counts);

}  // namespace dragoman::server
