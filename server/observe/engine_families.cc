#include "server/observe/engine_families.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include "server/base/log.h"
#include "server/base/steady_clock.h"

namespace dragoman::server {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

using Labels = std::vector<std::pair<const char*, std::string>>;

MetricFamily Family(const char* name, const char* help, MetricType type) {
  MetricFamily family;
  family.name = name;
  family.help = help;
  family.type = type;
  return family;
}

void Add(MetricFamily* family, const Labels& labels, double value) {
  ClientMetric metric;
  for (const auto& [name, text] : labels) metric.label.push_back({name, text});
  if (family->type == MetricType::Counter) {
    metric.counter.value = value;
  } else {
    metric.gauge.value = value;
  }
  family->metric.push_back(std::move(metric));
}

double Number(int64_t value) { return static_cast<double>(value); }

// The families of the engines, filled model by model.
class Families {
 public:
  void Gauge(const char* name, const char* help, const Labels& labels, double value) {
    Sample(name, help, MetricType::Gauge, labels, value);
  }
  void Count(const char* name, const char* help, const Labels& labels, int64_t value) {
    Sample(name, help, MetricType::Counter, labels, Number(value));
  }
  std::vector<MetricFamily> Take() { return std::move(families_); }

 private:
  void Sample(const char* name, const char* help, MetricType type, const Labels& labels,
              double value) {
    auto at = std::find_if(families_.begin(), families_.end(),
                           [name](const MetricFamily& family) { return family.name == name; });
    if (at == families_.end()) at = families_.insert(at, Family(name, help, type));
    Add(&*at, labels, value);
  }

  std::vector<MetricFamily> families_;
};

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
    out->Gauge(name, help, {{"model", model}}, Number(value));
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
  out->Gauge("dragoman_queue_segments", "Segments in a queue.", labels, Number(segments));
  out->Gauge("dragoman_queue_tokens", "Source tokens in a queue.", labels, Number(tokens));
  out->Gauge("dragoman_queue_oldest_age_seconds", "How long a queue's oldest segment has waited.",
             labels, ToSeconds(age));
}

void AddQueues(const engine::EngineStats& stats, const std::string& model, Families* out) {
  AddQueue("encode", model, stats.queue_segments, stats.queue_tokens, stats.queue_oldest_age, out);
  AddQueue("decode", model, stats.encoded_segments, stats.encoded_tokens, stats.encoded_oldest_age,
           out);
  const auto capacity = [&](const char* stage, const char* unit, int64_t value) {
    out->Gauge("dragoman_queue_capacity", "Capacity of a queue.",
               {{"model", model}, {"stage", stage}, {"unit", unit}}, Number(value));
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
                 {{"device", device.device}, {"kind", kind}, {"model", model}}, Number(bytes));
    };
    memory("weights", device.weights);
    memory("kv", device.kv);
    memory("workspace", device.workspace);
    out->Gauge("dragoman_kv_resident_bytes", "Memory that is there for K/V now.",
               {{"device", device.device}, {"model", model}}, Number(device.kv_resident));
  }
}

}  // namespace

std::vector<MetricFamily> EngineFamilies(const std::vector<ModelStats>& models, engine::Nanos now,
                                         double unix_now_seconds) {
  Families out;
  for (const ModelStats& model : models) {
    const engine::EngineStats& stats = model.stats;
    const Labels label = {{"model", model.name}};
    AddSegments(stats, model.name, &out);
    AddQueues(stats, model.name, &out);
    AddMemory(stats, model.name, &out);
    out.Gauge("dragoman_detokenize_backlog", "Results that wait for the detokenizer.", label,
              Number(stats.detokenize_backlog));
    out.Gauge("dragoman_last_step_timestamp_seconds",
              "Unix time of the latest decode step; 0 before the first.", label,
              stats.last_step == 0 ? 0.0 : unix_now_seconds - ToSeconds(now - stats.last_step));
    out.Gauge("dragoman_live_workers", "Workers that can take segments.", label,
              stats.live_workers);
    out.Gauge("dragoman_model_load_seconds", "Time that loading the model took.", label,
              ToSeconds(model.load_duration));
    out.Gauge("dragoman_model_version", "How many times a model of this name was loaded.", label,
              model.version);
    out.Gauge("dragoman_model_info", "Always 1; the labels describe the loaded model.",
              {{"checksum", model.checksum},
               {"compute_type", model.compute_type},
               {"device", model.device},
               {"family", model.family},
               {"model", model.name}},
              1);
  }
  return out.Take();
}

std::vector<MetricFamily> ProcessFamilies() {
  std::vector<MetricFamily> out;
  const auto add = [&out](const char* name, const char* help, MetricType type, double value) {
    MetricFamily family = Family(name, help, type);
    Add(&family, {}, value);
    out.push_back(std::move(family));
  };
  const double page = static_cast<double>(sysconf(_SC_PAGESIZE));
  const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  std::ifstream statm("/proc/self/statm");
  double virtual_pages = 0;
  double resident_pages = 0;
  if (statm >> virtual_pages >> resident_pages) {
    add("process_virtual_memory_bytes", "Virtual memory in bytes.", MetricType::Gauge,
        virtual_pages * page);
    add("process_resident_memory_bytes", "Resident memory in bytes.", MetricType::Gauge,
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
      add("process_cpu_seconds_total", "User and system CPU time in seconds.", MetricType::Counter,
          (std::stod(fields[11]) + std::stod(fields[12])) / ticks);
      add("process_threads", "Threads.", MetricType::Gauge, std::stod(fields[17]));
    }
  }
  add("dragoman_log_lines_dropped_total",
      "Log lines that were dropped because the reader was too slow or is gone.",
      MetricType::Counter, Number(LogLinesDropped()));
  if (DIR* directory = opendir("/proc/self/fd")) {
    int entries = -3;  // not counted: ".", ".." and this listing's descriptor
    while (readdir(directory) != nullptr) ++entries;
    closedir(directory);
    add("process_open_fds", "Open file descriptors.", MetricType::Gauge, entries);
  }
  return out;
}

std::vector<MetricFamily> ConnectionFamilies(const std::string& port,
                                             const ConnectionStats& stats) {
  MetricFamily open =
      Family("dragoman_connections", "Open connections of a port: grpc, http.", MetricType::Gauge);
  Add(&open, {{"port", port}}, Number(stats.open));
  MetricFamily limit = Family("dragoman_connections_capacity",
                              "Connections of a port that may be open at once.", MetricType::Gauge);
  Add(&limit, {{"port", port}}, Number(stats.capacity));
  MetricFamily total =
      Family("dragoman_connections_total",
             "Connections by outcome: accepted, or closed at once because too many were open.",
             MetricType::Counter);
  Add(&total, {{"port", port}, {"outcome", "accepted"}}, Number(stats.accepted));
  Add(&total, {{"port", port}, {"outcome", "refused"}}, Number(stats.refused));
  return {std::move(open), std::move(limit), std::move(total)};
}

MetricFamily SpanFamily(const SpanCounts& counts) {
  MetricFamily family =
      Family("dragoman_spans_total", "Spans for the collector, by what became of them.",
             MetricType::Counter);
  Add(&family, {{"outcome", "exported"}}, Number(counts.exported));
  Add(&family, {{"outcome", "queue_full"}}, Number(counts.queue_full));
  Add(&family, {{"outcome", "failed"}}, Number(counts.failed));
  return family;
}

}  // namespace dragoman::server
