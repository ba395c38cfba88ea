// The spans of one call: notes what happened when, and gives it to the exporter when the call is
// gone. Without an exporter, or where the client does not record the trace, it costs nothing.
//
// Each method but Sent is called at most once. Different methods may be called from different
// threads; two calls of the same one must not overlap. The destructor comes after all of them.
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

  // `sink` outlives this; nullptr: no spans. `method` is the name of the call's span, from its
  // headers at `started` on.
  CallTrace(SpanSink* sink, std::string method, engine::Nanos started)
      : sink_(sink), method_(std::move(method)), started_(started) {}
  ~CallTrace();
  CallTrace(const CallTrace&) = delete;
  CallTrace& operator=(const CallTrace&) = delete;

  // Takes the header traceparent, which may be missing or malformed. The trace is the client's, or
  // a new one where there is none and spans are wanted. A client that does not record its trace
  // gets no spans.
  void Join(const std::string& traceparent);

  // The trace's id for the log; "" if there is no trace.
  const std::string& trace_id() const { return trace_id_; }

  // The number of segments whose times the job is to report.
  int segments_wanted() const;

  void Accepted(engine::Nanos at) { accepted_ = at; }
  void Timed(const engine::JobTimings& timings) {
    if (recording_) timings_ = timings;
  }
  // A part of the answer was being sent from `begin` to `end`. The span is from the first begin to
  // the last end.
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
