#include "server/call/call_trace.h"

#include <algorithm>

#include "server/call/call_id.h"
#include "server/observe/span.h"

namespace dragoman::server {
namespace {

// The maximum number of segments of a call that get spans. Spans of more segments would show little
// that is new.
constexpr int kMaxSegments = 16;

std::string NewSpanId() { return NewId().substr(0, 16); }

}  // namespace

void CallTrace::Join(const std::string& traceparent) {
  const std::optional<TraceParent> parent = ParseTraceparent(traceparent);
  recording_ = sink_ != nullptr && (!parent.has_value() || parent->sampled);
  if (parent.has_value()) {
    trace_id_ = parent->trace_id;
    parent_id_ = parent->span_id;
  } else if (recording_) {
    trace_id_ = NewId();
  }
  if (recording_) span_id_ = NewSpanId();
}

int CallTrace::segments_wanted() const { return recording_ ? kMaxSegments : 0; }

void CallTrace::Concluded(engine::Nanos at, bool ok, Attributes attributes) {
  concluded_ = at;
  ok_ = ok;
  if (recording_) attributes_ = std::move(attributes);
}

void CallTrace::Add(std::vector<Span>* spans, const char* name, engine::Nanos start,
                    engine::Nanos end, Attributes attributes) const {
  Span span;
  span.trace_id = trace_id_;
  span.span_id = NewSpanId();
  span.parent_id = span_id_;
  span.name = name;
  span.start = start;
  span.end = end;
  span.attributes = std::move(attributes);
  spans->push_back(std::move(span));
}

CallTrace::~CallTrace() {
  if (!recording_) return;
  std::vector<Span> spans;
  Span call;
  call.trace_id = trace_id_;
  call.span_id = span_id_;
  call.parent_id = parent_id_;
  call.name = method_;
  call.of_server = true;
  call.start = started_;
  call.end = std::max(concluded_, sent_end_);
  call.attributes = std::move(attributes_);
  call.failed = !ok_;
  spans.push_back(std::move(call));
  if (accepted_ > 0) Add(&spans, "accept", started_, accepted_);
  if (timings_.tokenized > 0) {
    Add(&spans, "tokenize", timings_.tokenized - timings_.tokenize, timings_.tokenized);
  }
  for (const engine::SegmentTimes& s : timings_.segments) {
    const Attributes which = {{"dragoman.item", s.item}, {"dragoman.segment", s.segment}};
    Add(&spans, "queue", s.queued, s.popped, which);
    Add(&spans, "encode", s.popped, s.encoded, which);
    Add(&spans, "slot_wait", s.encoded, s.admitted, which);
    Add(&spans, "decode", s.admitted, s.decoded, which);
    Add(&spans, "detokenize", s.decoded, s.detokenized, which);
  }
  if (sent_end_ > 0) Add(&spans, "send", sent_begin_, sent_end_);
  sink_->Put(std::move(spans));
}

}  // namespace dragoman::server
