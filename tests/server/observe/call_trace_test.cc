#include "server/call/call_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace dragoman::server {
namespace {

using ::testing::ElementsAre;

constexpr char kParent[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
constexpr char kUnrecorded[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";

struct Collected final : SpanSink {
  void Put(std::vector<Span> put) override {
    EXPECT_TRUE(spans.empty()) << "a call puts its spans once";
    spans = std::move(put);
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const Span& span : spans) names.push_back(span.name);
    return names;
  }
  std::vector<Span> spans;
};

engine::JobTimings TwoSegments() {
  engine::JobTimings timings;
  timings.tokenize = 5;
  timings.tokenized = 130;
  timings.segments = {{0, 0, 130, 140, 150, 160, 170, 180}, {0, 1, 130, 141, 151, 161, 171, 181}};
  return timings;
}

TEST(CallTrace, EveryStageIsAChildOfTheCall) {
  Collected sink;
  {
    CallTrace trace(&sink, "Translate", 100);
    trace.Join(kParent);
    EXPECT_EQ(trace.trace_id(), "4bf92f3577b34da6a3ce929d0e0e4736");
    EXPECT_GT(trace.segments_wanted(), 1);
    trace.Accepted(110);
    trace.Timed(TwoSegments());
    trace.Concluded(190, true, {{"dragoman.items", 1}});
    trace.Sent(190, 200);
    EXPECT_TRUE(sink.spans.empty());
  }
  EXPECT_THAT(sink.Names(), ElementsAre("Translate", "accept", "tokenize", "queue", "encode",
                                        "slot_wait", "decode", "detokenize", "queue", "encode",
                                        "slot_wait", "decode", "detokenize", "send"));
  const Span& call = sink.spans[0];
  EXPECT_TRUE(call.of_server);
  EXPECT_FALSE(call.failed);
  EXPECT_EQ(call.parent_id, "00f067aa0ba902b7");
  EXPECT_EQ(call.start, 100);
  EXPECT_EQ(call.end, 200);
  std::set<std::string> ids;
  for (const Span& span : sink.spans) {
    EXPECT_EQ(span.trace_id, call.trace_id);
    EXPECT_EQ(span.span_id.size(), 16U);
    ids.insert(span.span_id);
    EXPECT_LE(span.start, span.end) << span.name;
    EXPECT_GE(span.start, call.start) << span.name;
    EXPECT_LE(span.end, call.end) << span.name;
    if (&span == &call) continue;
    EXPECT_EQ(span.parent_id, call.span_id) << span.name;
  }
  EXPECT_EQ(ids.size(), sink.spans.size());
  EXPECT_EQ(sink.spans[2].start, 125);  // tokenize
  EXPECT_EQ(sink.spans[6].start, 160);  // decode
  EXPECT_EQ(sink.spans[6].end, 170);
  // Index of the second segment.
  EXPECT_EQ(std::get<int64_t>(sink.spans[11].attributes[1].second), 1);
}

TEST(CallTrace, ARefusedCallHasItselfAndNoStages) {
  Collected sink;
  {
    CallTrace trace(&sink, "Translate", 100);
    trace.Join("");
    EXPECT_EQ(trace.trace_id().size(), 32U);  // a new trace id
    trace.Concluded(105, false, {});
  }
  EXPECT_THAT(sink.Names(), ElementsAre("Translate"));
  EXPECT_TRUE(sink.spans[0].failed);
  EXPECT_EQ(sink.spans[0].parent_id, "");
}

TEST(CallTrace, WhatTheClientDoesNotRecordLeavesNoSpans) {
  Collected sink;
  {
    CallTrace trace(&sink, "Translate", 100);
    trace.Join(kUnrecorded);
    EXPECT_EQ(trace.trace_id(), "4bf92f3577b34da6a3ce929d0e0e4736");  // the log still needs the id
    EXPECT_EQ(trace.segments_wanted(), 0);
    trace.Concluded(105, true, {});
  }
  EXPECT_TRUE(sink.spans.empty());
}

TEST(CallTrace, WithoutAnExporterOnlyTheLogHearsOfIt) {
  CallTrace traced(nullptr, "Translate", 100);
  traced.Join(kParent);
  EXPECT_EQ(traced.trace_id(), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(traced.segments_wanted(), 0);
  CallTrace other(nullptr, "Translate", 100);
  other.Join("nonsense");
  EXPECT_EQ(other.trace_id(), "");
}

}  // namespace
}  // namespace dragoman::server
