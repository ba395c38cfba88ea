#include "client/retry_policy.h"

#include <gtest/gtest.h>

#include "google/rpc/error_details.pb.h"

namespace dragoman::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using TimePoint = ClientClock::TimePoint;

constexpr TimePoint kNow{};
constexpr TimePoint kDeadline = kNow + seconds(100);

absl::Status Refused() { return absl::ResourceExhaustedError("full"); }

absl::Status RefusedWithPushback(const std::string& pushback) {
  absl::Status status = Refused();
  status.SetPayload("grpc-retry-pushback-ms", absl::Cord(pushback));
  return status;
}

absl::Status RefusedWithRetryInfo(int64_t delay_s) {
  google::rpc::RetryInfo info;
  info.mutable_retry_delay()->set_seconds(delay_s);
  absl::Status status = Refused();
  status.SetPayload("type.googleapis.com/google.rpc.RetryInfo",
                    absl::Cord(info.SerializeAsString()));
  return status;
}

class RetryPolicy : public testing::Test {
 protected:
  RetryState State(TimePoint deadline = kDeadline, uint64_t call = 0) {
    return RetryState(options_, &*budget_, call, deadline);
  }
  void SetUp() override { budget_.emplace(options_); }

  RetryOptions options_;
  std::optional<RetryBudget> budget_;
};

TEST_F(RetryPolicy, RetriesOnlyTheTwoCodes) {
  EXPECT_TRUE(State().AfterFailure(Refused(), kNow, false).has_value());
  EXPECT_TRUE(State().AfterFailure(absl::UnavailableError(""), kNow, false).has_value());
  for (int code = 1; code <= 16; ++code) {
    const absl::Status status(static_cast<absl::StatusCode>(code), "");
    if (absl::IsResourceExhausted(status) || absl::IsUnavailable(status)) continue;
    EXPECT_FALSE(State().AfterFailure(status, kNow, false).has_value()) << status;
  }
}

TEST_F(RetryPolicy, NeverSendsAgainWhatIsTooLarge) {
  const absl::Status too_large =
      absl::ResourceExhaustedError("Received message larger than max (104857603 vs. 16777216)");
  EXPECT_FALSE(State().AfterFailure(too_large, kNow, false).has_value());
}

TEST_F(RetryPolicy, NeverRetriesAStreamThatHasBegun) {
  EXPECT_FALSE(State().AfterFailure(absl::UnavailableError(""), kNow, true).has_value());
}

TEST_F(RetryPolicy, BacksOffExponentiallyWithJitterUpToTheAttempts) {
  options_.max_attempts = 4;
  options_.max_backoff = milliseconds(300);
  RetryState state = State();
  for (const milliseconds most : {milliseconds(100), milliseconds(200), milliseconds(300)}) {
    const auto delay = state.AfterFailure(Refused(), kNow, false);
    ASSERT_TRUE(delay.has_value());
    EXPECT_GE(*delay, most / 2);
    EXPECT_LE(*delay, most);
  }
  EXPECT_FALSE(state.AfterFailure(Refused(), kNow, false).has_value());
}

TEST_F(RetryPolicy, CallsHaveDifferentJitter) {
  EXPECT_NE(*State(kDeadline, 1).AfterFailure(Refused(), kNow, false),
            *State(kDeadline, 2).AfterFailure(Refused(), kNow, false));
  EXPECT_EQ(*State(kDeadline, 1).AfterFailure(Refused(), kNow, false),
            *State(kDeadline, 1).AfterFailure(Refused(), kNow, false));
}

TEST_F(RetryPolicy, WaitsAtLeastAsLongAsThePushbackSays) {
  const auto delay = State().AfterFailure(RefusedWithPushback("2000"), kNow, false);
  ASSERT_TRUE(delay.has_value());
  EXPECT_GE(*delay, seconds(2));
  EXPECT_LE(*delay, milliseconds(2400));
}

TEST_F(RetryPolicy, TakesRetryInfoWhereThereIsNoPushback) {
  const auto delay = State().AfterFailure(RefusedWithRetryInfo(7), kNow, false);
  ASSERT_TRUE(delay.has_value());
  EXPECT_GE(*delay, seconds(7));
  absl::Status both = RefusedWithRetryInfo(7);
  both.SetPayload("grpc-retry-pushback-ms", absl::Cord("10"));
  EXPECT_LT(*State().AfterFailure(both, kNow, false), seconds(1));
}

TEST_F(RetryPolicy, NegativeOrBrokenPushbackMeansNever) {
  for (const char* text : {"-1", "soon", "", "1.5", "99999999999999999999"}) {
    EXPECT_FALSE(State().AfterFailure(RefusedWithPushback(text), kNow, false).has_value()) << text;
  }
  EXPECT_FALSE(State().AfterFailure(RefusedWithRetryInfo(-3), kNow, false).has_value());
}

TEST_F(RetryPolicy, GivesUpWhenTheDeadlineComesFirst) {
  EXPECT_FALSE(
      State(kNow + seconds(1)).AfterFailure(RefusedWithPushback("2000"), kNow, false).has_value());
  EXPECT_TRUE(
      State(kNow + seconds(3)).AfterFailure(RefusedWithPushback("2000"), kNow, false).has_value());
}

TEST_F(RetryPolicy, SharesABudgetThatSuccessRefills) {
  options_.budget = 2;
  options_.budget_refill = 0.5;
  budget_.emplace(options_);
  EXPECT_TRUE(State().AfterFailure(Refused(), kNow, false).has_value());
  EXPECT_TRUE(State().AfterFailure(Refused(), kNow, false).has_value());
  EXPECT_FALSE(State().AfterFailure(Refused(), kNow, false).has_value());
  budget_->Refill();
  EXPECT_FALSE(State().AfterFailure(Refused(), kNow, false).has_value());
  budget_->Refill();
  EXPECT_TRUE(State().AfterFailure(Refused(), kNow, false).has_value());
  for (int i = 0; i < 100; ++i) budget_->Refill();
  EXPECT_TRUE(budget_->Spend());
  EXPECT_TRUE(budget_->Spend());
  EXPECT_FALSE(budget_->Spend());
}

TEST_F(RetryPolicy, APatientClientComesBackAsOftenAsItIsAskedTo) {
  options_.patient = true;
  options_.max_attempts = 2;
  options_.budget = 1;
  budget_.emplace(options_);
  RetryState state = State();
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(state.AfterFailure(RefusedWithPushback("10"), kNow, false).has_value());
  }
  // Without a pushback hint, the client has the usual attempts and budget.
  EXPECT_TRUE(state.AfterFailure(Refused(), kNow, false).has_value());
  EXPECT_FALSE(state.AfterFailure(Refused(), kNow, false).has_value());
}

TEST_F(RetryPolicy, IsPatientWithAServerThatHasAnsweredAndIsAway) {
  options_.patient = true;
  options_.max_attempts = 2;
  options_.budget = 1;
  budget_.emplace(options_);
  const absl::Status away = absl::UnavailableError("connection refused");
  {
    RetryState before = State();
    EXPECT_TRUE(before.AfterFailure(away, kNow, false).has_value());
    EXPECT_FALSE(before.AfterFailure(away, kNow, false).has_value());
  }
  options_.answered = true;
  EXPECT_TRUE(RetryBudget(options_).answered());
  budget_->Refill();
  RetryState state = State();
  TimePoint now = kNow;
  int tries = 0;
  while (const auto delay = state.AfterFailure(away, now, false)) {
    ++tries;
    now += *delay;
    ASSERT_LE(*delay, seconds(5));
  }
  // The client retries until the deadline, with waits that grow to 5 s.
  EXPECT_GT(now, kDeadline - seconds(5));
  EXPECT_LT(tries, 60);
  options_.max_attempts = 1;
  EXPECT_FALSE(State().AfterFailure(away, kNow, false).has_value());
}

}  // namespace
}  // namespace dragoman::client
