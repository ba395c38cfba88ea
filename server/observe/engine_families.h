// Makes the metric families of the engines, this process, the connections and the spans.
//
// The functions read only their arguments and /proc/self.
#pragma once

#include <prometheus/metric_family.h>

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
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

// A list of families. Joins families of the same name, because the text format allows each name
// only once. Not thread-safe.
class Families {
 public:
  using Labels = std::vector<std::pair<const char*, std::string>>;

  // Gauge and Count add a sample to the family `name`.
  void Gauge(const char* name, const char* help, const Labels& labels, double value);
  void Count(const char* name, const char* help, const Labels& labels, double value);
  void Add(std::vector<prometheus::MetricFamily> more);

  const std::vector<prometheus::MetricFamily>& all() const { return families_; }

 private:
  void Add(prometheus::MetricFamily family);
  void Sample(const char* name, const char* help, prometheus::MetricType type, const Labels& labels,
              double value);

  std::vector<prometheus::MetricFamily> families_;
  std::unordered_map<std::string, size_t> places_;  // in families_, by name
};

// `now` is the time of the stats on the engines' clock, `unix_now_seconds` the same time on the
// wall clock.
void AddEngines(const std::vector<ModelStats>& models, engine::Nanos now, double unix_now_seconds,
                Families* out);

// Adds the metrics of this process that have usual names, such as process_resident_memory_bytes,
// if /proc has them.
void AddProcess(Families* out);

void AddConnections(const std::string& port, const ConnectionStats& stats, Families* out);

// Adds how many spans were exported and how many were lost.
void AddSpans(const SpanCounts& counts, Families* out);

}  // namespace dragoman::server
