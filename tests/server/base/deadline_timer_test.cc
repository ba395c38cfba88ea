#include "server/base/deadline_timer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <vector>

#include "server/base/steady_clock.h"
#include "tests/server/manual_clock.h"

namespace dragoman::server {
namespace {

using ::testing::ElementsAre;

TEST(DeadlineTimer, FiresInOrderOfTimeAndNotBefore) {
  ManualClock clock;
  DeadlineTimer timer(&clock);
  std::vector<int> fired;
  const engine::Nanos now = clock.Now();
  timer.Arm(now + 20, [&] { fired.push_back(2); });
  timer.Arm(now + 10, [&] { fired.push_back(1); });
  // Runs after the earlier entry for the same time.
  timer.Arm(now + 20, [&] { fired.push_back(3); });
  timer.Arm(now + 30, [&] { fired.push_back(4); });
  EXPECT_EQ(timer.RunDue(), 0);
  clock.Advance(9);
  EXPECT_EQ(timer.RunDue(), 0);
  clock.Advance(11);
  EXPECT_EQ(timer.RunDue(), 3);
  EXPECT_THAT(fired, ElementsAre(1, 2, 3));
  EXPECT_EQ(timer.armed(), 1);
}

TEST(DeadlineTimer, DisarmedNeverFires) {
  ManualClock clock;
  DeadlineTimer timer(&clock);
  int fired = 0;
  const auto id = timer.Arm(clock.Now() + 10, [&] { ++fired; });
  EXPECT_TRUE(timer.Disarm(id));
  EXPECT_FALSE(timer.Disarm(id));
  EXPECT_EQ(timer.armed(), 0);
  clock.Advance(100);
  EXPECT_EQ(timer.RunDue(), 0);
  EXPECT_EQ(fired, 0);
  const auto second = timer.Arm(clock.Now() + 1, [&] { ++fired; });
  clock.Advance(1);
  EXPECT_EQ(timer.RunDue(), 1);
  EXPECT_FALSE(timer.Disarm(second));
}

TEST(DeadlineTimer, NeverMeansNever) {
  ManualClock clock;
  DeadlineTimer timer(&clock);
  EXPECT_NE(timer.Arm(engine::kNoDeadline, [] { FAIL(); }), DeadlineTimer::kNone);
  EXPECT_EQ(timer.armed(), 0);
}

TEST(DeadlineTimer, MayBeArmedAndDisarmedWhileItFires) {
  ManualClock clock;
  DeadlineTimer timer(&clock);
  std::vector<int> fired;
  DeadlineTimer::Id victim = DeadlineTimer::kNone;
  timer.Arm(clock.Now(), [&] {
    fired.push_back(1);
    EXPECT_TRUE(timer.Disarm(victim));
    timer.Arm(clock.Now(), [&] { fired.push_back(2); });
  });
  victim = timer.Arm(clock.Now(), [&] { fired.push_back(99); });
  EXPECT_EQ(timer.RunDue(), 2);
  EXPECT_THAT(fired, ElementsAre(1, 2));
}

TEST(DeadlineTimer, ItsThreadWakesForAnEarlierDeadline) {
  const SteadyClock clock;
  DeadlineTimer timer(&clock);
  timer.Start();
  timer.Arm(clock.Now() + 3600 * kNanosPerSecond, [] { FAIL(); });
  std::promise<engine::Nanos> fired;
  const engine::Nanos due = clock.Now() + 20 * kNanosPerMilli;
  timer.Arm(due, [&] { fired.set_value(clock.Now()); });
  EXPECT_GE(fired.get_future().get(), due);
}

}  // namespace
}  // namespace dragoman::server
