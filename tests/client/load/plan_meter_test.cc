#include "client/load/plan_meter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

namespace dragoman::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using TimePoint = ClientClock::TimePoint;

constexpr int64_t kCharacters = 60;  // of each call

// A server that works on all calls at once. Each call takes the time that `service` returns. The
// server's processors are busy as long as there are calls.
class WaveServer : public LoadDriver {
 public:
  explicit WaveServer(std::function<nanoseconds(int64_t call)> service)
      : service_(std::move(service)) {}

  TimePoint Now() override { return now_; }
  void Send(int64_t call) override {
    LoadCompletion completion{.call = call, .finished = now_ + service_(call), .items = 1};
    completion.characters = kCharacters;
    pending_.emplace(completion.finished, completion);
  }
  void Wait(std::optional<TimePoint> until, std::vector<LoadCompletion>* completions) override {
    completions->clear();
    const bool answer = !pending_.empty() && (!until || pending_.begin()->first <= *until);
    ASSERT_TRUE(answer || until.has_value()) << "waits forever";
    now_ = std::max(now_, answer ? pending_.begin()->first : *until);
    while (!pending_.empty() && pending_.begin()->first <= now_) {
      completions->push_back(pending_.begin()->second);
      pending_.erase(pending_.begin());
    }
  }

  // Simulates two busy processors.
  nanoseconds cpu_time() const { return 2 * (now_ - start_); }
  int64_t resident_bytes() const { return 1'000 + static_cast<int64_t>(pending_.size()); }

 private:
  const std::function<nanoseconds(int64_t)> service_;
  const TimePoint start_ = TimePoint() + seconds(1000);
  TimePoint now_ = start_;
  std::multimap<TimePoint, LoadCompletion> pending_;
};

struct Outcome {
  PlanMeasurement measured;
  double halves_differ = 0;
  double call_seconds = 0;
};

Outcome Measure(std::function<nanoseconds(int64_t call)> service, int callers, nanoseconds warmup,
                nanoseconds duration) {
  WaveServer server(std::move(service));
  PlanMeter meter(
      &server,
      {[&server] { return server.cpu_time(); }, [&server] { return server.resident_bytes(); }},
      callers, warmup, duration);
  LoadOptions load;
  load.concurrency = callers;
  load.duration = std::chrono::hours(24);
  load.enough = [&meter] { return meter.enough(); };
  const LoadReport report = RunLoad(load, &meter);
  EXPECT_TRUE(meter.enough());
  EXPECT_EQ(report.answered, report.sent);
  Outcome outcome;
  meter.Report(&outcome.measured);
  outcome.halves_differ = meter.halves_differ();
  outcome.call_seconds = meter.call_seconds();
  return outcome;
}

// Four calls end together every 8 s. A window of 10 s contains one or two such ends, but always
// counts 300 characters: each call counts by the part of its time in the window.
TEST(PlanMeter, AWaveCountsByItsTimeNotByItsEnd) {
  for (const int warmup : {1, 5, 7, 8, 15}) {
    const Outcome outcome =
        Measure([](int64_t) { return seconds(8); }, 4, seconds(warmup), seconds(10));
    EXPECT_EQ(outcome.measured.characters, 300) << "warm-up " << warmup;
    EXPECT_DOUBLE_EQ(outcome.measured.seconds, 10);
    EXPECT_DOUBLE_EQ(outcome.measured.cpu_seconds, 20);
    EXPECT_DOUBLE_EQ(outcome.call_seconds, 8);
    EXPECT_NEAR(outcome.halves_differ, 0, 1e-9);
  }
}

TEST(PlanMeter, CallsThatAreLongerThanTheTimeCountInPartAndSayHowLongTheyAre) {
  const Outcome outcome = Measure([](int64_t) { return seconds(40); }, 4, seconds(1), seconds(2));
  EXPECT_EQ(outcome.measured.characters, 12);
  EXPECT_DOUBLE_EQ(outcome.measured.seconds, 2);
  EXPECT_DOUBLE_EQ(outcome.call_seconds, 40);
}

TEST(PlanMeter, ShortCallsAreAllThatEnds) {
  const Outcome outcome =
      Measure([](int64_t call) { return milliseconds(10 + call % 7); }, 8, seconds(1), seconds(10));
  // 8 callers, and 13 ms for each call on average.
  EXPECT_NEAR(static_cast<double>(outcome.measured.characters), 8 * 10 / 0.013 * kCharacters,
              0.01 * 8 * 10 / 0.013 * kCharacters);
  EXPECT_LT(outcome.halves_differ, 0.02);
  EXPECT_EQ(outcome.measured.under_load, 1'007);  // one call has just ended when memory is read
}

TEST(PlanMeter, HalvesThatDifferAreSeen) {
  // The server is half as fast from the seventh second on, which is the middle of the window.
  const Outcome outcome = Measure([](int64_t call) { return seconds(call < 7 * 4 ? 1 : 2); }, 4,
                                  seconds(2), seconds(10));
  EXPECT_NEAR(outcome.halves_differ, 0.5, 1e-9);
  EXPECT_EQ(outcome.measured.characters, 5 * 4 * kCharacters + 5 * 2 * kCharacters);
}

TEST(PlanMeter, TheServerIsFullUntilAllThatCountsHasEnded) {
  int64_t last = 0;
  const Outcome outcome = Measure(
      [&last](int64_t call) {
        last = std::max(last, call);
        return seconds(call == 5 ? 20 : 2);
      },
      4, seconds(1), seconds(9));
  // The window is 2 s to 11 s. Three callers have calls of 2 s. The fourth has a call that lasts
  // until 22 s.
  EXPECT_EQ(outcome.measured.characters, 3 * kCharacters * 9 / 2 + kCharacters * 9 / 20);
  // The first four calls, the long one, and one call every 2 s from each of three callers until the
  // long one ends.
  EXPECT_EQ(last, 4 + 1 + 3 * 10 - 1);
}

}  // namespace
}  // namespace dragoman::client
