// What the engines are doing as metric families, and what the kernel knows of this process.
//
// Pure functions of their arguments and /proc/self.
#pragma once

#include <prometheus/metric_family.h>

#include <string>
#include <vector>

#include "engine/api/engine.h"
#include "server/guard/guard.h"
#include "server/trace/span.h"

namespace dragoman {

// One model that is served: all its versions together, and the one that takes calls.
struct ModelStats {
  std::string name;
  EngineStats stats;
  std::string family;
  std::string device;
  std::string compute_type;
  std::string checksum;
  int version = 0;
  Nanos load_duration = 0;
};

// `now` is the engine clock's time of the stats, `unix_now_seconds` the same moment on the wall.
std::vector<prometheus::MetricFamily> EngineFamilies(const std::vector<ModelStats>& models,
                                                     Nanos now, double unix_now_seconds);

// process_resident_memory_bytes and its like, under their customary names; what /proc does not
// give is left out.
std::vector<prometheus::MetricFamily> ProcessFamilies();

// Connections of the gRPC port.
std::vector<prometheus::MetricFamily> ConnectionFamilies(const ListenerStats& stats, int capacity);

// What became of spans.
prometheus::MetricFamily SpanFamily(const SpanCounts& counts);

}  // namespace dragoman
