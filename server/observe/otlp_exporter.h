// Sends spans to an OpenTelemetry collector, in batches, from a thread of its own.
//
// Thread-safe. No call ever waits for the collector. The queue is bounded: spans that do not fit
// are dropped and counted. A batch that the channel cannot deliver is dropped and counted, too.
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

// Converts spans to OTLP. `wall_offset` is how far the wall clock is ahead of the spans' clock.
OtlpRequest ToOtlp(const std::vector<Span>& spans, const ProcessAttributes& attributes,
                   engine::Nanos wall_offset);

struct OtlpOptions {
  size_t max_queue = 8192;  // spans
  size_t max_batch = 512;   // spans
  // A batch that is not full is sent this long after its first span.
  std::chrono::milliseconds gather{1000};
  // The destructor waits at most this long for the queued spans.
  std::chrono::milliseconds last_words{2000};
};

class OtlpExporter final : public SpanSink {
 public:
  // `clock` is the clock of the spans. It must outlive the exporter.
  OtlpExporter(ProcessAttributes attributes, std::unique_ptr<OtlpChannel> channel,
               const engine::Clock* clock, OtlpOptions options = {});
  ~OtlpExporter() override;
  OtlpExporter(const OtlpExporter&) = delete;
  OtlpExporter& operator=(const OtlpExporter&) = delete;

  void Put(std::vector<Span> spans) override;
  const SpanCounts& counts() const { return counts_; }

 private:
  void Run();
  // Waits until a batch is due, sets wall_offset_ and returns the batch. Once the destructor runs,
  // returns without waiting; an empty batch then means that no span is left.
  std::vector<Span> NextBatch();
  void Send(const std::vector<Span>& batch);

  const ProcessAttributes attributes_;
  const std::unique_ptr<OtlpChannel> channel_;
  const engine::Clock* const clock_;
  const OtlpOptions options_;

  SpanCounts counts_;

  // Used only by the thread.
  bool reachable_ = true;  // the collector accepted the last batch
  engine::Nanos wall_offset_ = 0;

  engine::Mutex mu_;
  engine::CondVar changed_;
  std::deque<Span> queue_ ABSL_GUARDED_BY(mu_);
  bool stop_ ABSL_GUARDED_BY(mu_) = false;       // send the queued spans, then end
  bool abandoned_ ABSL_GUARDED_BY(mu_) = false;  // end without sending them
  bool ended_ ABSL_GUARDED_BY(mu_) = false;

  std::thread thread_;
};

}  // namespace dragoman::server
