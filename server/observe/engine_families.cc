#include "server/observe/engine_families.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "server/base/log.h"
#include "server/base/steady_clock.h"

namespace dragoman::server {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = Families::Labels;

void AddSegments(const engine::EngineStats& stats, const std::string& model, Families* out) {
  const engine::SegmentCounts& s = stats.segments;
  out->Count("dragoman_segments_accepted_total", "Segments admitted.", {{"model", model}},
             s.accepted);
  const std::pair<const char*, int64_t> by_outcome[] = {{"eos", s.eos},
                                                        {"length", s.length},
                                                        {"constraints_unmet", s.constraints_unmet},
                                                        {"no_output", s.no_output},
                                                        {"cancelled", s.cancelled},
                                                        {"deadline", s.deadline},
                                                        {"error", s.error}};
  for (const auto& [outcome, count] : by_outcome) {
    out->Count("dragoman_segments_total", "Segments that ended, by outcome.",
               {{"model", model}, {"outcome", outcome}}, count);
  }
  const auto gauge = [&](const char* name, const char* help, int64_t value) {
    out->Gauge(name, help, {{"model", model}}, value);
  };
  gauge("dragoman_segments_waiting", "Segments accepted that are not in the batch yet.", s.waiting);
  gauge("dragoman_segments_running", "Segments in the batch.", s.running);
  gauge("dragoman_requests_waiting", "Requests none of whose segments has begun decoding.",
        stats.requests_waiting);
  gauge("dragoman_requests_running", "Requests with a segment that has begun decoding.",
        stats.requests_running);
  gauge("dragoman_decode_rows", "Live rows of the batch.", stats.rows);
  gauge("dragoman_decode_rows_capacity", "Rows that the batch can hold.", stats.row_capacity);
}

void AddQueue(const char* stage, const std::string& model, int64_t segments, int64_t tokens,
              engine::Nanos age, Families* out) {
  const Labels labels = {{"model", model}, {"stage", stage}};
  out->Gauge("dragoman_queue_segments", "Segments in a queue.", labels, segments);
  out->Gauge("dragoman_queue_tokens", "Source tokens in a queue.", labels, tokens);
  out->Gauge("dragoman_queue_oldest_age_seconds", "How long a queue's oldest segment has waited.",
             labels, ToSeconds(age));
}

void AddQueues(const engine::EngineStats& stats, const std::string& model, Families* out) {
  AddQueue("encode", model, stats.queue_segments, stats.queue_tokens, stats.queue_oldest_age, out);
  AddQueue("decode", model, stats.encoded_segments, stats.encoded_tokens, stats.encoded_oldest_age,
           out);
  const auto capacity = [&](const char* stage, const char* unit, int64_t value) {
    out->Gauge("dragoman_queue_capacity", "Capacity of a queue.",
               {{"model", model}, {"stage", stage}, {"unit", unit}}, value);
  };
  capacity("encode", "segments", stats.queue_segment_capacity);
  capacity("encode", "tokens", stats.queue_token_capacity);
  capacity("decode", "segments", stats.encoded_segment_capacity);
}

void AddMemory(const engine::EngineStats& stats, const std::string& model, Families* out) {
  const auto usage = [&](const char* pool, double value) {
    out->Gauge("dragoman_kv_cache_usage_ratio", "Share of the K/V pages in use.",
               {{"model", model}, {"pool", pool}}, value);
  };
  usage("self", stats.kv_self_usage);
  usage("cross", stats.kv_cross_usage);
  for (const engine::DeviceMemory& device : stats.memory) {
    const auto memory = [&](const char* kind, int64_t bytes) {
      out->Gauge("dragoman_device_memory_bytes", "Memory held for the model.",
                 {{"device", device.device}, {"kind", kind}, {"model", model}}, bytes);
    };
    memory("weights", device.weights);
    memory("kv", device.kv);
    memory("workspace", device.workspace);
    out->Gauge("dragoman_kv_resident_bytes", "Memory that is there for K/V now.",
               {{"device", device.device}, {"model", model}}, device.kv_resident);
  }
}

}  // namespace

void Families::Add(MetricFamily family) {
  if (family.metric.empty()) return;
  const auto [known, is_new] = places_.emplace(family.name, families_.size());
  if (is_new) {
    families_.push_back(std::move(family));
    return;
  }
  std::vector<prometheus::ClientMetric>& metrics = families_[known->second].metric;
  std::move(family.metric.begin(), family.metric.end(), std::back_inserter(metrics));
}

void Families::Add(std::vector<MetricFamily> more) {
  for (MetricFamily& family : more) Add(std::move(family));
}

void Families::Sample(const char* name, const char* help, MetricType type, const Labels& labels,
                      double value) {
  MetricFamily family;
  family.name = name;
  family.help = help;
  family.type = type;
  prometheus::ClientMetric& metric = family.metric.emplace_back();
  for (const auto& [label, text] : labels) metric.label.push_back({label, text});
  (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
  Add(std::move(family));
}

void Families::Gauge(const char* name, const char* help, const Labels& labels, double value) {
  Sample(name, help, MetricType::Gauge, labels, value);
}

void Families::Count(const char* name, const char* help, const Labels& labels, double value) {
  Sample(name, help, MetricType::Counter, labels, value);
}

void AddEngines(const std::vector<ModelStats>& models, engine::Nanos now, double unix_now_seconds,
                Families* out) {
  for (const ModelStats& model : models) {
    const engine::EngineStats& stats = model.stats;
    const Labels label = {{"model", model.name}};
    AddSegments(stats, model.name, out);
    AddQueues(stats, model.name, out);
    AddMemory(stats, model.name, out);
    out->Gauge("dragoman_detokenize_backlog", "Results that wait for the detokenizer.", label,
               stats.detokenize_backlog);
    out->Gauge("dragoman_last_step_timestamp_seconds",
               "Unix time of the latest decode step; 0 before the first.", label,
               stats.last_step == 0 ? 0.0 : unix_now_seconds - ToSeconds(now - stats.last_step));
    out->Gauge("dragoman_live_workers", "Workers that can take segments.", label,
               stats.live_workers);
    out->Gauge("dragoman_model_load_seconds", "Time that loading the model took.", label,
               ToSeconds(model.load_duration));
    out->Gauge("dragoman_model_version", "How many times a model of this name was loaded.", label,
               model.version);
    out->Gauge("dragoman_model_info", "Always 1; the labels describe the loaded model.",
               {{"checksum", model.checksum},
                {"compute_type", model.compute_type},
                {"device", model.device},
                {"family", model.family},
                {"model", model.name}},
               1);
  }
}

void AddProcess(Families* out) {
  const double page = static_cast<double>(sysconf(_SC_PAGESIZE));
  const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  std::ifstream statm("/proc/self/statm");
  double virtual_pages = 0;
  double resident_pages = 0;
  if (statm >> virtual_pages >> resident_pages) {
    out->Gauge("process_virtual_memory_bytes", "Virtual memory in bytes.", {},
               virtual_pages * page);
    out->Gauge("process_resident_memory_bytes", "Resident memory in bytes.", {},
               resident_pages * page);
  }
  std::ifstream stat("/proc/self/stat");
  std::string line;
  const size_t after_name = std::getline(stat, line) ? line.find_last_of(')') : std::string::npos;
  if (after_name != std::string::npos) {
    // The text begins with field 3 of proc(5). Fields 14 and 15 are CPU ticks, 20 is the number of
    // threads.
    std::istringstream rest(line.substr(after_name + 1));
    std::vector<std::string> fields;
    for (std::string field; rest >> field;) fields.push_back(field);
    if (fields.size() > 17) {
      out->Count("process_cpu_seconds_total", "User and system CPU time in seconds.", {},
                 (std::stod(fields[11]) + std::stod(fields[12])) / ticks);
      out->Gauge("process_threads", "Threads.", {}, std::stod(fields[17]));
    }
  }
  out->Count("dragoman_log_lines_dropped_total",
             "Log lines that were dropped because the reader was too slow or is gone.", {},
             LogLinesDropped());
  if (DIR* directory = opendir("/proc/self/fd")) {
    int entries = -3;  // not counted: ".", ".." and this listing's descriptor
    while (readdir(directory) != nullptr) ++entries;
    closedir(directory);
    out->Gauge("process_open_fds", "Open file descriptors.", {}, entries);
  }
}

void AddConnections(const std::string& port, const ConnectionStats& stats, Families* out) {
  out->Gauge("dragoman_connections", "Open connections of a port: grpc, http.", {{"port", port}},
             stats.open);
  out->Gauge("dragoman_connections_capacity", "Connections of a port that may be open at once.",
             {{"port", port}}, stats.capacity);
  const auto total = [&](const char* outcome, int64_t value) {
    out->Count("dragoman_connections_total",
               "Connections by outcome: accepted, or closed at once because too many were open.",
               {{"port", port}, {"outcome", outcome}}, value);
  };
  total("accepted", stats.accepted);
  total("refused", stats.refused);
}

void AddSpans(const SpanCounts& counts, Families* out) {
  const auto total = [out](const char* outcome, int64_t value) {
    out->Count("dragoman_spans_total", "Spans for the collector, by what became of them.",
               {{"outcome", outcome}}, value);
  };
  total("exported", counts.exported);
  total("queue_full", counts.queue_full);
  total("failed", counts.failed);
}

}  // namespace dragoman::server
