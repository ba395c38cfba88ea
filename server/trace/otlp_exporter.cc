#include "server/trace/otlp_exporter.h"

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <system_error>

#include "engine/base/mutex.h"
#include "engine/base/thread_name.h"
#include "server/base/log.h"
#include "server/base/version.h"

namespace dragoman {
namespace {

using nlohmann::json;

// Values of the protocol's enums.
constexpr int kInternal = 1;
constexpr int kServer = 2;
constexpr int kError = 2;

json Attribute(const std::string& key, const std::variant<int64_t, std::string>& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) {
    return {{"key", key}, {"value", {{"intValue", std::to_string(*number)}}}};
  }
  return {{"key", key}, {"value", {{"stringValue", std::get<std::string>(value)}}}};
}

json ToJson(const Span& span, Nanos wall_offset) {
  json out = {{"traceId", span.trace_id},
              {"spanId", span.span_id},
              {"name", span.name},
              {"kind", span.of_server ? kServer : kInternal},
              {"startTimeUnixNano", std::to_string(span.start + wall_offset)},
              {"endTimeUnixNano", std::to_string(span.end + wall_offset)}};
  if (!span.parent_id.empty()) out["parentSpanId"] = span.parent_id;
  if (span.failed) out["status"] = {{"code", kError}};
  json attributes = json::array();
  for (const auto& [key, value] : span.attributes) attributes.push_back(Attribute(key, value));
  if (!attributes.empty()) out["attributes"] = std::move(attributes);
  return out;
}

constexpr int kAttempts = 3;

bool WorthAnotherTry(int status) {
  return status == 0 || status == 429 || status == 502 || status == 503 || status == 504;
}

}  // namespace

std::string OtlpJson(const std::vector<Span>& spans,
                     const std::vector<std::pair<std::string, std::string>>& attributes,
                     Nanos wall_offset) {
  json resource = json::array();
  for (const auto& [key, value] : attributes) resource.push_back(Attribute(key, value));
  json list = json::array();
  for (const Span& span : spans) list.push_back(ToJson(span, wall_offset));
  const json scope = {{"scope", {{"name", "dragomand"}, {"version", kVersion}}},
                      {"spans", std::move(list)}};
  const json body = {
      {"resourceSpans", json::array({{{"resource", {{"attributes", std::move(resource)}}},
                                      {"scopeSpans", json::array({scope})}}})}};
  return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

struct OtlpExporter::State {
  State(std::vector<std::pair<std::string, std::string>> a, Post p, const Clock* c, OtlpOptions o)
      : attributes(std::move(a)), post(std::move(p)), clock(c), options(o) {}

  void Run();
  // Waits for a batch, or for the end, after which it does not wait. Empty: the end. Notes how far
  // the wall clock is ahead.
  std::vector<Span> NextBatch();
  void Send(const std::vector<Span>& batch);
  // False: the exporter is being destroyed.
  bool WaitToRetry();

  const std::vector<std::pair<std::string, std::string>> attributes;
  const Post post;
  const Clock* const clock;
  const OtlpOptions options;
  SpanCounts counts;
  // Used by the thread alone.
  bool reachable = true;  // by the last batch
  Nanos wall_offset = 0;

  Mutex mu;
  CondVar changed;
  std::deque<Span> queue ABSL_GUARDED_BY(mu);
  bool stop ABSL_GUARDED_BY(mu) = false;
  bool ended ABSL_GUARDED_BY(mu) = false;      // the thread has
  bool abandoned ABSL_GUARDED_BY(mu) = false;  // the exporter is gone, and the clock with it
};

OtlpExporter::OtlpExporter(std::vector<std::pair<std::string, std::string>> attributes, Post post,
                           const Clock* clock, OtlpOptions options)
    : state_(std::make_shared<State>(std::move(attributes), std::move(post), clock, options)),
      thread_([state = state_] {
        NameThisThread("otlp");
        state->Run();
      }) {}

OtlpExporter::~OtlpExporter() {
  const auto end = std::chrono::steady_clock::now() + state_->options.last_words;
  bool ended = false;
  {
    MutexLock lock(&state_->mu);
    state_->stop = true;
    state_->changed.NotifyAll();
    while (!state_->ended) {
      const auto left = end - std::chrono::steady_clock::now();
      if (left <= std::chrono::nanoseconds::zero()) break;
      state_->changed.WaitFor(&state_->mu, left);
    }
    ended = state_->ended;
    state_->abandoned = true;
  }
  if (ended) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

void OtlpExporter::Put(std::vector<Span> spans) {
  MutexLock lock(&state_->mu);
  if (state_->queue.size() + spans.size() > state_->options.max_queue) {
    state_->counts.queue_full += static_cast<int64_t>(spans.size());
    return;
  }
  const size_t before = state_->queue.size();
  std::move(spans.begin(), spans.end(), std::back_inserter(state_->queue));
  const size_t full = state_->options.max_batch;
  if (before == 0 || (before < full && state_->queue.size() >= full)) state_->changed.NotifyAll();
}

const SpanCounts& OtlpExporter::counts() const { return state_->counts; }

void OtlpExporter::State::Run() {
  while (true) {
    const std::vector<Span> batch = NextBatch();
    if (batch.empty()) break;
    Send(batch);
  }
  MutexLock lock(&mu);
  ended = true;
  changed.NotifyAll();
}

std::vector<Span> OtlpExporter::State::NextBatch() {
  MutexLock lock(&mu);
  while (queue.empty() && !stop) changed.Wait(&mu);
  const auto end = std::chrono::steady_clock::now() + options.gather;
  while (queue.size() < options.max_batch && !stop) {
    const auto left = end - std::chrono::steady_clock::now();
    if (left <= std::chrono::nanoseconds::zero()) break;
    changed.WaitFor(&mu, left);
  }
  if (abandoned) return {};
  wall_offset = std::chrono::duration_cast<std::chrono::nanoseconds>(
                    std::chrono::system_clock::now().time_since_epoch())
                    .count() -
                clock->Now();
  const auto count = static_cast<std::ptrdiff_t>(std::min(queue.size(), options.max_batch));
  std::vector<Span> batch(std::make_move_iterator(queue.begin()),
                          std::make_move_iterator(queue.begin() + count));
  queue.erase(queue.begin(), queue.begin() + count);
  return batch;
}

bool OtlpExporter::State::WaitToRetry() {
  const auto end = std::chrono::steady_clock::now() + options.retry_after;
  MutexLock lock(&mu);
  while (!stop) {
    const auto left = end - std::chrono::steady_clock::now();
    if (left <= std::chrono::nanoseconds::zero()) return true;
    changed.WaitFor(&mu, left);
  }
  return false;
}

void OtlpExporter::State::Send(const std::vector<Span>& batch) {
  const std::string body = OtlpJson(batch, attributes, wall_offset);
  HttpPostResult answer;
  for (int attempt = 1;; ++attempt) {
    answer = post(body);
    if (!WorthAnotherTry(answer.status) || attempt == kAttempts || !WaitToRetry()) break;
  }
  const bool taken = answer.status >= 200 && answer.status < 300;
  (taken ? counts.exported : counts.failed) += static_cast<int64_t>(batch.size());
  if (taken == reachable) return;
  reachable = taken;
  if (taken) {
    Log(LogLevel::kInfo, "spans are exported again");
  } else {
    LogFields fields = {{"spans", batch.size()}, {"http_status", answer.status}};
    if (!answer.error.empty()) fields["error"] = answer.error;
    Log(LogLevel::kWarn, "spans are not exported", fields);
  }
}

}  // namespace dragoman
