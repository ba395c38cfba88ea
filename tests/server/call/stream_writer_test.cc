#include "server/call/stream_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "server/base/steady_clock.h"
#include "tests/server/manual_clock.h"

namespace dragoman::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

v1::StreamTranslateResponse Segment(int item, int segment, const std::string& text, bool final) {
  v1::StreamTranslateResponse message;
  message.set_item(item);
  message.set_segment(segment);
  message.set_text(text);
  message.set_final(final);
  return message;
}

// A transport whose writes complete when the test says so.
class FakeTransport final : public MessageTransport {
 public:
  void StartWrite(v1::StreamTranslateResponse message) override {
    EXPECT_FALSE(writing) << "two writes in flight";
    EXPECT_TRUE(finishes.empty()) << "a write after Finish";
    writing = true;
    written.push_back(message.text());
  }
  void Finish(const absl::Status& status) override {
    EXPECT_FALSE(writing) << "Finish beside a write";
    finishes.push_back(status);
  }
  void Break() override {
    EXPECT_TRUE(finishes.empty()) << "Break after Finish";
    ++breaks;
  }

  bool writing = false;
  int breaks = 0;
  std::vector<std::string> written;
  std::vector<absl::Status> finishes;
};

class StreamWriterTest : public ::testing::Test {
 protected:
  void Done(bool ok = true) {
    transport_.writing = false;
    writer_->OnWriteDone(ok);
  }
  void Advance(engine::Nanos by) {
    clock_.Advance(by);
    timer_.RunDue();
  }

  ManualClock clock_;
  DeadlineTimer timer_{&clock_};
  FakeTransport transport_;
  int stuck_ = 0;
  std::shared_ptr<StreamWriter> writer_ = std::make_shared<StreamWriter>(
      &transport_, &clock_, &timer_, 30 * kNanosPerSecond, [this] { ++stuck_; });
};

TEST_F(StreamWriterTest, WritesOneAfterAnother) {
  writer_->PutSegment(Segment(0, 0, "a", true));
  writer_->PutSegment(Segment(0, 1, "b", true));
  EXPECT_THAT(transport_.written, ElementsAre("a"));
  EXPECT_EQ(writer_->waiting(), 1U);
  Done();
  EXPECT_THAT(transport_.written, ElementsAre("a", "b"));
  writer_->Close(absl::OkStatus());
  EXPECT_THAT(transport_.finishes, IsEmpty());
  Done();
  EXPECT_THAT(transport_.finishes, ElementsAre(absl::OkStatus()));
  EXPECT_EQ(timer_.armed(), 0);
}

TEST_F(StreamWriterTest, NewestPartialTakesThePlaceOfTheOlder) {
  writer_->PutSegment(Segment(0, 0, "x", false));  // in flight
  writer_->PutSegment(Segment(0, 0, "x1", false));
  writer_->PutSegment(Segment(0, 1, "y1", false));
  writer_->PutSegment(Segment(0, 0, "x12", false));
  // A final segment also replaces a waiting partial.
  writer_->PutSegment(Segment(0, 1, "y12", true));
  EXPECT_EQ(writer_->waiting(), 2U);
  EXPECT_EQ(writer_->replaced(), 2);
  Done();
  Done();
  EXPECT_THAT(transport_.written, ElementsAre("x", "x12", "y12"));
}

TEST_F(StreamWriterTest, ASlowReaderCostsOneMessagePerSegment) {
  for (int step = 0; step < 10'000; ++step) {
    for (int segment = 0; segment < 4; ++segment) {
      writer_->PutSegment(Segment(0, segment, std::to_string(step), false));
    }
  }
  EXPECT_LE(writer_->waiting(), 4U);
}

TEST_F(StreamWriterTest, FinalsAreNeverReplacedAndPrecedeTheirItem) {
  writer_->PutSegment(Segment(0, 0, "p", false));  // in flight
  writer_->PutSegment(Segment(0, 0, "final 0", true));
  writer_->PutSegment(Segment(1, 0, "other", false));
  v1::StreamTranslateResponse item;
  item.set_text("item 0");
  item.mutable_translation()->set_index(0);
  writer_->Put(item);
  writer_->PutSegment(Segment(1, 0, "final 1", true));
  writer_->Close(absl::OkStatus());
  while (transport_.writing) Done();
  EXPECT_THAT(transport_.written, ElementsAre("p", "final 0", "final 1", "item 0"));
}

TEST_F(StreamWriterTest, AReaderThatTakesNothingIsCutOff) {
  writer_->PutSegment(Segment(0, 0, "a", false));
  writer_->PutSegment(Segment(0, 0, "ab", false));
  Advance(30 * kNanosPerSecond - 1);
  EXPECT_EQ(transport_.breaks, 0);
  Advance(1);
  EXPECT_EQ(transport_.breaks, 1);
  EXPECT_EQ(stuck_, 1);
  EXPECT_THAT(transport_.finishes, IsEmpty());  // the write is still in flight
  writer_->PutSegment(Segment(0, 0, "abc", true));
  EXPECT_EQ(writer_->waiting(), 0U);
  Done(false);
  ASSERT_EQ(transport_.finishes.size(), 1U);
  EXPECT_EQ(transport_.finishes[0].code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(transport_.written, ElementsAre("a"));
}

TEST_F(StreamWriterTest, EachWriteHasItsOwnTimeout) {
  for (int i = 0; i < 10; ++i) {
    writer_->PutSegment(Segment(0, i, "a", true));
    Advance(20 * kNanosPerSecond);
    Done();
  }
  EXPECT_EQ(transport_.breaks, 0);
}

TEST_F(StreamWriterTest, AbortDropsWhatWaitsAndFinishesAfterTheWrite) {
  writer_->PutSegment(Segment(0, 0, "a", true));
  writer_->PutSegment(Segment(0, 1, "b", true));
  writer_->Abort(absl::DeadlineExceededError("late"));
  EXPECT_THAT(transport_.finishes, IsEmpty());
  writer_->Close(absl::OkStatus());  // too late: the abort already decided the status
  Done();
  ASSERT_EQ(transport_.finishes.size(), 1U);
  EXPECT_EQ(transport_.finishes[0].code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(transport_.written, ElementsAre("a"));
  EXPECT_EQ(stuck_, 0);
}

TEST_F(StreamWriterTest, AbortBreaksAWriteThatHangs) {
  writer_->PutSegment(Segment(0, 0, "a", true));
  writer_->Abort(absl::DeadlineExceededError("late"));
  Advance(kNanosPerSecond);
  EXPECT_EQ(transport_.breaks, 1);
  EXPECT_EQ(stuck_, 0);  // the hanging write was not counted as a reader's timeout
  Done(false);
  EXPECT_EQ(transport_.finishes.at(0).code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_F(StreamWriterTest, AbortAfterCloseWinsWhileMessagesWait) {
  writer_->PutSegment(Segment(0, 0, "a", true));
  writer_->PutSegment(Segment(0, 1, "b", true));
  writer_->Close(absl::OkStatus());
  writer_->Abort(absl::CancelledError("gone"));
  Done();
  EXPECT_EQ(transport_.finishes.at(0).code(), absl::StatusCode::kCancelled);
  writer_->Abort(absl::InternalError("never"));
  EXPECT_EQ(transport_.finishes.size(), 1U);
}

TEST_F(StreamWriterTest, AFailedWriteEndsTheCall) {
  writer_->PutSegment(Segment(0, 0, "a", true));
  writer_->PutSegment(Segment(0, 1, "b", true));
  Done(false);
  EXPECT_EQ(transport_.finishes.at(0).code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(transport_.written, ElementsAre("a"));
}

TEST_F(StreamWriterTest, CloseWithoutMessagesFinishesAtOnce) {
  writer_->Close(absl::UnavailableError("draining"));
  EXPECT_EQ(transport_.finishes.at(0).code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace dragoman::server
