#include "server/metrics/engine_families.h"

#include <dirent.h>
#include <unistd.h>

#include <fstream>
#include <initializer_list>
#include <sstream>
#include <utility>

#include "server/base/log.h"
#include "server/base/steady_clock.h"

namespace dragoman {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

using Labels = std::initializer_list<std::pair<const char*, std::string>>;

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

void AddSegments(const EngineStats& stats, const std::string& model,
                 std::vector<MetricFamily>* out) {
  const SegmentCounts& s = stats.segments;
  MetricFamily accepted =
      Family("dragoman_segments_accepted_total", "Segments admitted.", MetricType::Counter);
  Add(&accepted, {{"model", model}}, Number(s.accepted));
  MetricFamily outcomes =
      Family("dragoman_segments_total", "Segments that ended, by outcome.", MetricType::Counter);
  const std::pair<const char*, int64_t> by_outcome[] = {{"eos", s.eos},
                                                        {"length", s.length},
                                                        {"constraints_unmet", s.constraints_unmet},
                                                        {"no_output", s.no_output},
                                                        {"cancelled", s.cancelled},
                                                        {"deadline", s.deadline},
                                                        {"error", s.error}};
  for (const auto& [outcome, count] : by_outcome) {
    Add(&outcomes, {{"model", model}, {"outcome", outcome}}, Number(count));
  }
  out->push_back(std::move(accepted));
  out->push_back(std::move(outcomes));
  const auto gauge = [&](const char* name, const char* help, int64_t value) {
    MetricFamily family = Family(name, help, MetricType::Gauge);
    Add(&family, {{"model", model}}, Number(value));
    out->push_back(std::move(family));
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

void AddQueues(const EngineStats& stats, std::vector<MetricFamily>* out) {
  MetricFamily segments =
      Family("dragoman_queue_segments", "Segments in a queue.", MetricType::Gauge);
  Add(&segments, {{"stage", "encode"}}, Number(stats.queue_segments));
  Add(&segments, {{"stage", "decode"}}, Number(stats.encoded_segments));
  MetricFamily tokens =
      Family("dragoman_queue_tokens", "Source tokens in a queue.", MetricType::Gauge);
  Add(&tokens, {{"stage", "encode"}}, Number(stats.queue_tokens));
  Add(&tokens, {{"stage", "decode"}}, Number(stats.encoded_tokens));
  MetricFamily age = Family("dragoman_queue_oldest_age_seconds",
                            "How long a queue's oldest segment has waited.", MetricType::Gauge);
  Add(&age, {{"stage", "encode"}}, ToSeconds(stats.queue_oldest_age));
  Add(&age, {{"stage", "decode"}}, ToSeconds(stats.encoded_oldest_age));
  MetricFamily capacity =
      Family("dragoman_queue_capacity", "Capacity of a queue.", MetricType::Gauge);
  Add(&capacity, {{"stage", "encode"}, {"unit", "segments"}}, Number(stats.queue_segment_capacity));
  Add(&capacity, {{"stage", "encode"}, {"unit", "tokens"}}, Number(stats.queue_token_capacity));
  Add(&capacity, {{"stage", "decode"}, {"unit", "segments"}},
      Number(stats.encoded_segment_capacity));
  for (MetricFamily* family : {&segments, &tokens, &age, &capacity}) {
    out->push_back(std::move(*family));
  }
}

}  // namespace

std::vector<MetricFamily> EngineFamilies(const EngineStats& stats, const std::string& model,
                                         Nanos now, double unix_now_seconds) {
  std::vector<MetricFamily> out;
  AddSegments(stats, model, &out);
  AddQueues(stats, &out);

  MetricFamily usage =
      Family("dragoman_kv_cache_usage_ratio", "Share of the K/V pages in use.", MetricType::Gauge);
  Add(&usage, {{"pool", "self"}}, stats.kv_self_usage);
  Add(&usage, {{"pool", "cross"}}, stats.kv_cross_usage);
  MetricFamily memory =
      Family("dragoman_device_memory_bytes", "Memory held for the model.", MetricType::Gauge);
  for (const DeviceMemory& device : stats.memory) {
    Add(&memory, {{"device", device.device}, {"kind", "weights"}}, Number(device.weights));
    Add(&memory, {{"device", device.device}, {"kind", "kv"}}, Number(device.kv));
    Add(&memory, {{"device", device.device}, {"kind", "workspace"}}, Number(device.workspace));
  }
  MetricFamily backlog = Family("dragoman_detokenize_backlog",
                                "Results that wait for the detokenizer.", MetricType::Gauge);
  Add(&backlog, {}, Number(stats.detokenize_backlog));
  MetricFamily step =
      Family("dragoman_last_step_timestamp_seconds",
             "Unix time of the latest decode step; 0 before the first.", MetricType::Gauge);
  Add(&step, {{"model", model}},
      stats.last_step == 0 ? 0.0 : unix_now_seconds - ToSeconds(now - stats.last_step));
  MetricFamily workers =
      Family("dragoman_live_workers", "Workers that can take segments.", MetricType::Gauge);
  Add(&workers, {{"model", model}}, Number(stats.live_workers));
  for (MetricFamily* family : {&usage, &memory, &backlog, &step, &workers}) {
    out.push_back(std::move(*family));
  }
  return out;
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
    // Fields 3.. of proc(5): 14 and 15 are CPU ticks, 20 threads.
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
    int entries = -3;  // ".", ".." and the descriptor of this listing
    while (readdir(directory) != nullptr) ++entries;
    closedir(directory);
    add("process_open_fds", "Open file descriptors.", MetricType::Gauge, entries);
  }
  return out;
}

std::vector<MetricFamily> ConnectionFamilies(const ListenerStats& stats, int capacity) {
  MetricFamily open =
      Family("dragoman_connections", "Open connections of the gRPC port.", MetricType::Gauge);
  Add(&open, {}, Number(stats.open));
  MetricFamily limit =
      Family("dragoman_connections_capacity",
             "Connections of the gRPC port that may be open at once.", MetricType::Gauge);
  Add(&limit, {}, capacity);
  MetricFamily total =
      Family("dragoman_connections_total",
             "Connections by outcome: accepted, or closed at once because too many were open.",
             MetricType::Counter);
  Add(&total, {{"outcome", "accepted"}}, Number(stats.accepted));
  Add(&total, {{"outcome", "refused"}}, Number(stats.refused));
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

}  // namespace dragoman
