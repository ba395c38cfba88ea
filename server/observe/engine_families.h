// Makes the metric families of the engines, this process, the connections and the spans.
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

// A served model: the stats of all its versions, and facts about the version that takes calls.
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

// `now` is the time of the stats on the engines' clock, `unix_now_seconds` the same time on the
// wall clock.
std::vector<prometheus::MetricFamily> EngineFamilies(const std::vector<ModelStats>& models,
                                                     engine::Nanos now, double unix_now_seconds);

// Returns the metrics of this process that have usual names, such as process_resident_memory_bytes,
// if /proc has them.
std::vector<prometheus::MetricFamily> ProcessFamilies();

std::vector<prometheus::MetricFamily> ConnectionFamilies(const std::string& port,
                                                         const ConnectionStats& stats);

// Returns how many spans were exported and how many were lost.
prometheus::MetricFamily SpanFamily(const SpanCounts& counts);

}  // namespace dragoman::server
