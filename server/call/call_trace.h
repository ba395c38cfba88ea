// The spans of one call. Records times, and gives the spans to the exporter in the destructor.
// Costs nothing if there is no exporter or the client does not sample the trace.
//
// Each method except Sent is called at most once. Different methods may be called from different
// threads. Two calls of the same method must not overlap. The destructor runs after all of them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/api/engine.h"
#include "engine/base/clock.h"
#include "server/observe/span.h"

namespace dragoman::server {

class CallTrace {
 public:
  using Attributes = std::vector<std::pair<std::string, std::variant<int64_t, std::string>>>;

  // `sink` outlives this object; nullptr means no spans. `method` is the name of the call's span,
  // which starts at `started`, when the headers arrived.
  CallTrace(SpanSink* sink, std::string method, engine::Nanos started)
      : sink_(sink), method_(std::move(method)), started_(started) {}
  ~CallTrace();
  CallTrace(const CallTrace&) = delete;
  CallTrace& operator=(const CallTrace&) = delete;

  // Joins the trace of the header `traceparent`. If the header is missing or malformed and there is
  // an exporter, starts a new trace. Records no spans if the client does not sample its trace.
  void Join(const std::string& traceparent);

  // Returns the id of the trace for the log; "" if there is no trace.
  const std::string& trace_id() const { return trace_id_; }

  // Reports whether spans are recorded. If not, Concluded needs no attributes.
  bool recording() const { return recording_; }

  // Returns the number of segments for which the job must report times, so that they get spans.
  int segments_wanted() const;

  void Accepted(engine::Nanos at) { accepted_ = at; }
  void Timed(const engine::JobTimings& timings) {
    if (recording_) timings_ = timings;
  }
  // Records when a part of the answer was sent. The span goes from the first begin to the last end.
  void Sent(engine::Nanos begin, engine::Nanos end) {
    if (sent_begin_ == 0) sent_begin_ = begin;
    sent_end_ = end;
  }
  void Concluded(engine::Nanos at, bool ok, Attributes attributes);

 private:
  void Add(std::vector<Span>* spans, const char* name, engine::Nanos start, engine::Nanos end,
           Attributes attributes = {}) const;

  SpanSink* const sink_;
  const std::string method_;
  const engine::Nanos started_;
  bool recording_ = false;
  std::string trace_id_;
  std::string parent_id_;
  std::string span_id_;
  engine::Nanos accepted_ = 0;
  engine::JobTimings timings_;
  engine::Nanos sent_begin_ = 0;
  engine::Nanos sent_end_ = 0;
  engine::Nanos concluded_ = 0;
  bool ok_ = false;
  Attributes attributes_;
};

}  // namespace dragoman::server
