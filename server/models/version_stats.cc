#include "server/models/version_stats.h"

#include <algorithm>
#include <vector>

namespace dragoman::server {

// The functions below name every field of `to`. A new field of one of these structs causes a
// compile error here until it is handled.

void AddCounts(const engine::SegmentCounts& from, engine::SegmentCounts* to) {
  auto& [accepted, eos, length, constraints_unmet, no_output, cancelled, deadline, error, waiting,
         running] = *to;
  accepted += from.accepted;
  eos += from.eos;
  length += from.length;
  constraints_unmet += from.constraints_unmet;
  no_output += from.no_output;
  cancelled += from.cancelled;
  deadline += from.deadline;
  error += from.error;
  waiting += from.waiting;
  running += from.running;
}

namespace {

// Adds the numbers of a device. Both arguments are for the same device, so its names stay.
void AddDevice(const engine::DeviceMemory& from, engine::DeviceMemory* to) {
  auto& [device, device_name, weights, kv, workspace, kv_resident] = *to;
  weights += from.weights;
  kv += from.kv;
  workspace += from.workspace;
  kv_resident += from.kv_resident;
}

void AddMemory(const std::vector<engine::DeviceMemory>& from,
               std::vector<engine::DeviceMemory>* to) {
  for (const engine::DeviceMemory& memory : from) {
    const auto at = std::find_if(to->begin(), to->end(), [&](const engine::DeviceMemory& known) {
      return known.device == memory.device;
    });
    if (at == to->end()) {
      to->push_back(memory);
    } else {
      AddDevice(memory, &*at);
    }
  }
}

}  // namespace

void AddStats(const engine::EngineStats& from, engine::EngineStats* to) {
  auto& [segments, requests_waiting, requests_running, queue_segments, queue_tokens,
         queue_segment_capacity, queue_token_capacity, queue_oldest_age, encoded_segments,
         encoded_tokens, encoded_segment_capacity, encoded_oldest_age, rows, row_capacity,
         kv_self_usage, kv_cross_usage, memory, detokenize_backlog, last_step, stalled,
         live_workers] = *to;
  AddCounts(from.segments, &segments);
  requests_waiting += from.requests_waiting;
  requests_running += from.requests_running;
  queue_segments += from.queue_segments;
  queue_tokens += from.queue_tokens;
  queue_segment_capacity += from.queue_segment_capacity;
  queue_token_capacity += from.queue_token_capacity;
  queue_oldest_age = std::max(queue_oldest_age, from.queue_oldest_age);
  encoded_segments += from.encoded_segments;
  encoded_tokens += from.encoded_tokens;
  encoded_segment_capacity += from.encoded_segment_capacity;
  encoded_oldest_age = std::max(encoded_oldest_age, from.encoded_oldest_age);
  rows += from.rows;
  row_capacity += from.row_capacity;
  kv_self_usage = std::max(kv_self_usage, from.kv_self_usage);
  kv_cross_usage = std::max(kv_cross_usage, from.kv_cross_usage);
  AddMemory(from.memory, &memory);
  detokenize_backlog += from.detokenize_backlog;
  last_step = std::max(last_step, from.last_step);
  stalled = stalled || from.stalled;
  live_workers += from.live_workers;
}

}  // namespace dragoman::server
