// Sends spans to an OpenTelemetry collector, in batches, from a thread of its own.
//
// Thread-safe. The queue is bounded in spans. Spans that find it full are dropped and counted, and no
// call ever waits for the collector. A batch that the channel cannot deliver is dropped and counted,
// too.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/mutex.h"
#include "server/observe/otlp_channel.h"
#include "server/observe/span.h"

namespace dragoman::server {

// Attributes of the process, by OpenTelemetry's names.
using ProcessAttributes = std::vector<std::pair<std::string, std::string>>;

// Spans as OTLP has them. `wall_offset` is how far the wall clock is ahead of the spans' clock.
OtlpRequest ToOtlp(const std::vector<Span>& spans, const ProcessAttributes& attributes,
                   engine::Nanos wall_offset);

struct OtlpOptions {
  size_t max_queue = 8192;  // spans
  size_t max_batch = 512;   // spans
  // A batch that is not full leaves this long after its first span.
  std::chrono::milliseconds gather{1000};
  // The destructor waits no longer than this for what is queued.
  std::chrono::milliseconds last_words{2000};
};

class OtlpExporter final : public SpanSink {
 public:
  // `clock` is that of the spans and outlives the exporter.
  OtlpExporter(ProcessAttributes attributes, std::unique_ptr<OtlpChannel> channel,
               const engine::Clock* clock, OtlpOptions options = {});
  ~OtlpExporter() override;
  OtlpExporter(const OtlpExporter&) = delete;
  OtlpExporter& operator=(const OtlpExporter&) = delete;

  void Put(std::vector<Span> spans) override;
  const SpanCounts& counts() const { return counts_; }

 private:
  void Run();
  // Waits for a batch. Once the destructor has begun it does not wait, and an empty batch is the end.
  // Notes how far the wall clock is ahead.
  std::vector<Span> NextBatch();
  void Send(const std::vector<Span>& batch);

  const ProcessAttributes attributes_;
  const std::unique_ptr<OtlpChannel> channel_;
  const engine::Clock* const clock_;
  const OtlpOptions options_;

  SpanCounts counts_;

  // Used by the thread alone.
  bool reachable_ = true;  // the collector took the last batch
  engine::Nanos wall_offset_ = 0;

  engine::Mutex mu_;
  engine::CondVar changed_;
  std::deque<Span> queue_ ABSL_GUARDED_BY(mu_);
  bool stop_ ABSL_GUARDED_BY(mu_) = false;       // send what is queued, and end
  bool abandoned_ ABSL_GUARDED_BY(mu_) = false;  // end without it
  bool ended_ ABSL_GUARDED_BY(mu_) = false;

  std::thread thread_;
};

}  // namespace dragoman::server
