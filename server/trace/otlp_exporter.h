// Sends spans to an OpenTelemetry collector, in batches, from a thread of its own.
//
// Thread-safe. The queue is bounded in spans: those that find it full are dropped and counted, and
// no call ever waits for the collector. A batch that the collector cannot take now is sent again,
// up to three times in all, and then dropped and counted too.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/clock.h"
#include "server/net/http_post.h"
#include "server/trace/span.h"

namespace dragoman {

// Spans as the body of an OTLP/HTTP request in JSON (opentelemetry-proto,
// ExportTraceServiceRequest: ids in hexadecimal, whole numbers of 64 bits as strings). `attributes`
// describe the process. `wall_offset` is how far the wall clock is ahead of the spans'.
std::string OtlpJson(const std::vector<Span>& spans,
                     const std::vector<std::pair<std::string, std::string>>& attributes,
                     Nanos wall_offset);

struct OtlpOptions {
  size_t max_queue = 8192;  // spans
  size_t max_batch = 512;   // spans, unless one call has more
  // A batch that is not full leaves this long after its first span.
  std::chrono::milliseconds gather{1000};
  std::chrono::milliseconds retry_after{1000};
  // The destructor waits no longer than this for what is queued.
  std::chrono::milliseconds last_words{2000};
};

class OtlpExporter final : public SpanSink {
 public:
  // Sends this body to the collector and returns its answer. Called by the exporter's thread only;
  // may block, and may be under way still when the exporter is gone.
  using Post = std::function<HttpPostResult(const std::string& body)>;

  // Constant attributes of the process. `clock` is that of the spans and outlives the exporter.
  OtlpExporter(std::vector<std::pair<std::string, std::string>> attributes, Post post,
               const Clock* clock, OtlpOptions options = {});
  ~OtlpExporter() override;
  OtlpExporter(const OtlpExporter&) = delete;
  OtlpExporter& operator=(const OtlpExporter&) = delete;

  void Put(std::vector<Span> spans) override;
  const SpanCounts& counts() const;

 private:
  struct State;
  // Shared with the thread, which may hang in a name server when the daemon has to end.
  const std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace dragoman
