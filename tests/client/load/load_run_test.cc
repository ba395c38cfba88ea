#include "client/load/load_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "client/load/load_report.h"

namespace dragoman::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using TimePoint = ClientClock::TimePoint;

// A server with one worker on a simulated clock: calls are served one after another.
class SimulatedServer : public LoadDriver {
 public:
  explicit SimulatedServer(nanoseconds service) : service_(service) {}

  // The time that Send itself takes, to simulate a load generator that stalls.
  std::function<nanoseconds(int64_t call)> stall;
  // The status with which a call ends. A call that is not OK takes no service time.
  std::function<absl::Status(int64_t call)> status;

  TimePoint Now() override { return now_; }
  void Send(int64_t call) override {
    sent_at_.push_back(now_);
    if (stall) now_ += stall(call);
    LoadCompletion completion{.call = call};
    if (status) completion.status = status(call);
    if (completion.status.ok()) {
      idle_at_ = std::max(now_, idle_at_) + service_;
      completion.finished = idle_at_;
      completion.items = 1;
      completion.characters = 11;
      completion.source_tokens = 5;
      completion.target_tokens = 7;
    } else {
      completion.finished = now_;
    }
    pending_.emplace(completion.finished, completion);
    most_in_flight_ = std::max(most_in_flight_, pending_.size());
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

  const std::vector<TimePoint>& sent_at() const { return sent_at_; }
  size_t most_in_flight() const { return most_in_flight_; }

 private:
  const nanoseconds service_;
  TimePoint now_ = TimePoint() + seconds(1000);
  TimePoint idle_at_;
  std::multimap<TimePoint, LoadCompletion> pending_;
  std::vector<TimePoint> sent_at_;
  size_t most_in_flight_ = 0;
};

LoadOptions Open(double rate, nanoseconds duration) {
  LoadOptions options;
  options.rate = rate;
  options.constant = true;
  options.duration = duration;
  return options;
}

absl::Status RefusedFor(const char* pushback_ms) {
  absl::Status status = absl::ResourceExhaustedError("full");
  status.SetPayload("grpc-retry-pushback-ms", absl::Cord(pushback_ms));
  return status;
}

TEST(OpenLoop, SendsAtTheRateAndMeasuresServiceTime) {
  SimulatedServer server(milliseconds(4));
  const LoadReport report = RunLoad(Open(100, seconds(2)), &server);
  EXPECT_EQ(report.sent, 200);
  EXPECT_EQ(report.answered, 200);
  EXPECT_EQ(report.ok, 200);
  EXPECT_EQ(report.items, 200);
  EXPECT_EQ(report.source_tokens, 1000);
  EXPECT_EQ(report.target_tokens, 1400);
  EXPECT_EQ(report.window, seconds(2));
  EXPECT_EQ(report.latency.min(), milliseconds(4));
  EXPECT_EQ(report.latency.max(), milliseconds(4));
  EXPECT_EQ(report.send_delay.max(), nanoseconds(0));
}

TEST(OpenLoop, ChargesAStallToEveryCallThatHadToWait) {
  SimulatedServer server(milliseconds(1));
  server.stall = [](int64_t call) { return call == 50 ? nanoseconds(seconds(1)) : nanoseconds(0); };
  const LoadReport report = RunLoad(Open(100, seconds(3)), &server);
  EXPECT_EQ(report.sent, 300);
  // Call 50 takes 1 s. The calls that were due in that second wait for the rest of it and then for
  // each other. If latency were measured from the real start, only call 50 would be slow.
  EXPECT_GE(report.latency.max(), seconds(1));
  EXPECT_GE(report.latency.Percentile(0.90), milliseconds(650));
  EXPECT_LE(report.latency.Percentile(0.60), milliseconds(2));
  EXPECT_GE(report.send_delay.max(), milliseconds(980));
}

TEST(OpenLoop, KeepsTheRateWhenTheServerDoesNot) {
  SimulatedServer server(milliseconds(10));
  const LoadReport report = RunLoad(Open(200, seconds(1)), &server);
  EXPECT_EQ(report.sent, 200);
  EXPECT_EQ(report.answered, 200);
  // The server answers half of the calls in the window. The last call waits for the 99 before it
  // that exceed the server's rate.
  EXPECT_EQ(report.items, 99);
  EXPECT_NEAR(std::chrono::duration<double>(report.latency.max()).count(), 1.005, 0.001);
  EXPECT_EQ(report.send_delay.max(), nanoseconds(0));
}

TEST(OpenLoop, PoissonArrivalsHaveTheRateAndTheSpread) {
  LoadOptions options = Open(1000, seconds(20));
  options.constant = false;
  SimulatedServer server(nanoseconds(1));
  const LoadReport report = RunLoad(options, &server);
  EXPECT_NEAR(static_cast<double>(report.sent), 20'000, 600);
  double sum = 0;
  double squares = 0;
  for (size_t i = 1; i < server.sent_at().size(); ++i) {
    const double gap =
        std::chrono::duration<double>(server.sent_at()[i] - server.sent_at()[i - 1]).count();
    sum += gap;
    squares += gap * gap;
  }
  const double n = static_cast<double>(server.sent_at().size() - 1);
  const double deviation = std::sqrt(squares / n - (sum / n) * (sum / n));
  EXPECT_NEAR(deviation / (sum / n), 1, 0.05);  // exponential gaps: deviation = mean

  SimulatedServer again(nanoseconds(1));
  RunLoad(options, &again);
  EXPECT_EQ(server.sent_at(), again.sent_at());
  options.seed = 2;
  SimulatedServer other(nanoseconds(1));
  RunLoad(options, &other);
  EXPECT_NE(server.sent_at(), other.sent_at());
}

TEST(OpenLoop, BoundsWhatIsInFlight) {
  LoadOptions options = Open(1000, seconds(1));
  options.max_in_flight = 10;
  SimulatedServer server(milliseconds(10));
  const LoadReport report = RunLoad(options, &server);
  EXPECT_EQ(server.most_in_flight(), 10u);
  EXPECT_EQ(report.sent, 1000);
  EXPECT_GE(report.send_delay.max(), seconds(8));
}

TEST(ClosedLoop, KeepsSoManyInFlight) {
  LoadOptions options;
  options.concurrency = 3;
  options.duration = seconds(1);
  SimulatedServer server(milliseconds(10));
  const LoadReport report = RunLoad(options, &server);
  EXPECT_EQ(server.most_in_flight(), 3u);
  EXPECT_EQ(report.items, 99);  // the 100th ends exactly at the end of the window
  EXPECT_EQ(report.sent, report.answered);
  EXPECT_EQ(report.latency.max(), milliseconds(30));
}

TEST(ClosedLoop, ARefusedCallerWaitsAsLongAsItIsAskedTo) {
  LoadOptions options;
  options.concurrency = 1;
  options.duration = seconds(1);
  SimulatedServer server(milliseconds(1));
  server.status = [](int64_t) { return RefusedFor("100"); };
  const LoadReport report = RunLoad(options, &server);
  EXPECT_EQ(report.sent, 10);
  EXPECT_EQ(report.refused, 10);
  EXPECT_EQ(report.refused_with_hint, 10);
  EXPECT_EQ(report.ok, 0);

  SimulatedServer gone(milliseconds(1));
  gone.status = [](int64_t) { return absl::UnavailableError("gone"); };
  EXPECT_EQ(RunLoad(options, &gone).unavailable, 100);
}

TEST(Load, CountsEveryCallOnce) {
  SimulatedServer server(milliseconds(1));
  server.status = [](int64_t call) -> absl::Status {
    if (call % 10 == 3) return RefusedFor("5");
    if (call % 10 == 5) return absl::UnavailableError("draining");
    if (call % 10 == 7) return absl::DeadlineExceededError("late");
    return absl::OkStatus();
  };
  const LoadReport report = RunLoad(Open(100, seconds(2)), &server);
  EXPECT_EQ(report.sent, 200);
  EXPECT_EQ(report.answered, 200);
  EXPECT_EQ(report.ok, 140);
  EXPECT_EQ(report.failed, 60);
  EXPECT_EQ(report.latency.count(), 140);
  EXPECT_EQ(report.refused, 20);
  EXPECT_EQ(report.unavailable, 20);
  EXPECT_EQ(report.accepted, 160);
  EXPECT_EQ(report.refused_with_hint, 20);
  EXPECT_EQ(report.errors.at(absl::StatusCode::kDeadlineExceeded), 20);
  EXPECT_EQ(report.errors.at(absl::StatusCode::kResourceExhausted), 20);
  EXPECT_TRUE(absl::IsResourceExhausted(report.first_error));
  const LoadReportContext context;
  EXPECT_THAT(LoadReportText(report, context), HasSubstr("\nfirst of them  RESOURCE_EXHAUSTED: "));
  EXPECT_THAT(LoadReportJson(report, context), HasSubstr(R"("first_error":"RESOURCE_EXHAUSTED: )"));
}

TEST(Load, LeavesTheWarmUpOut) {
  LoadOptions options = Open(100, seconds(1));
  options.warmup = seconds(2);
  SimulatedServer server(milliseconds(1));
  server.stall = [](int64_t call) {
    return call == 10 ? nanoseconds(milliseconds(500)) : nanoseconds(0);
  };
  const LoadReport report = RunLoad(options, &server);
  EXPECT_EQ(server.sent_at().size(), 300u);
  EXPECT_EQ(report.sent, 100);
  EXPECT_EQ(report.items, 100);
  EXPECT_EQ(report.latency.max(), milliseconds(1));
}

// Four callers share a server that answers 100 calls a second. Near the end of a short file,
// callers become idle one after another. A call that was in flight at the end of the warm-up does
// not count.
TEST(ClosedLoop, FewCallsAfterAWarmUpAreMeasuredWhileAllCallersAreBusy) {
  for (const int calls : {2, 4, 5, 50}) {
    for (const int warmup_ms : {1000, 1003}) {
      LoadOptions options;
      options.concurrency = 4;
      options.warmup = milliseconds(warmup_ms);
      options.duration = seconds(1000);
      options.max_calls = calls;
      SimulatedServer server(milliseconds(10));
      const LoadReport report = RunLoad(options, &server);
      EXPECT_EQ(report.sent, calls);
      EXPECT_EQ(report.ok, calls);
      EXPECT_EQ(report.window_kind, LoadReport::Window::kAllBusy) << calls;
      EXPECT_EQ(report.window, milliseconds(10) * report.items) << calls;
      EXPECT_EQ(report.items, calls - 1) << calls;
    }
  }
}

TEST(ClosedLoop, SaysSoWhereThereIsNoSuchMiddle) {
  LoadOptions options;
  options.concurrency = 4;
  options.warmup = milliseconds(1000);
  options.duration = seconds(1000);
  options.max_calls = 1;
  SimulatedServer server(milliseconds(10));
  const LoadReport report = RunLoad(options, &server);
  EXPECT_EQ(report.window_kind, LoadReport::Window::kToLastAnswer);
  EXPECT_EQ(report.items, 1);
  LoadReportContext context;
  context.options = options;
  EXPECT_THAT(LoadReportText(report, context),
              HasSubstr("1 calls of 4 callers say little of throughput"));
  EXPECT_THAT(LoadReportJson(report, context), HasSubstr(R"("measured":"to_last_answer")"));
}

TEST(Load, EndsAfterSoManyCalls) {
  LoadOptions options;
  options.concurrency = 4;
  options.duration = seconds(1000);
  options.max_calls = 50;
  SimulatedServer server(milliseconds(10));
  const LoadReport report = RunLoad(options, &server);
  EXPECT_EQ(report.sent, 50);
  EXPECT_EQ(report.items, 50);
  EXPECT_EQ(report.characters, 50 * 11);
  EXPECT_EQ(report.window, milliseconds(500));
  EXPECT_EQ(report.window_kind, LoadReport::Window::kToLastAnswer);
}

}  // namespace
}  // namespace dragoman::client
