#include "server/api/call_reactor.h"

#include <grpc/support/time.h>
#include <gtest/gtest.h>

#include "server/base/steady_clock.h"

namespace dragoman::server {
namespace {

constexpr engine::Nanos kStarted = 77 * kNanosPerSecond;
constexpr engine::Nanos kLongest = 120 * kNanosPerSecond;

engine::Nanos DeadlineIn(int64_t seconds, int32_t nanos = 0) {
  const gpr_timespec now = gpr_now(GPR_CLOCK_REALTIME);
  gpr_timespec deadline = now;
  deadline.tv_sec += seconds;
  deadline = gpr_time_add(deadline, gpr_time_from_nanos(nanos, GPR_TIMESPAN));
  return CallDeadline(deadline, now, kStarted, kLongest);
}

TEST(CallDeadline, IsTheLongestCallWhereThereIsNone) {
  const gpr_timespec now = gpr_now(GPR_CLOCK_REALTIME);
  EXPECT_EQ(CallDeadline(gpr_inf_future(GPR_CLOCK_REALTIME), now, kStarted, kLongest),
            kStarted + kLongest);
}

TEST(CallDeadline, CountsFromTheStart) {
  EXPECT_EQ(DeadlineIn(3, 5), kStarted + 3 * kNanosPerSecond + 5);
  EXPECT_EQ(DeadlineIn(-3), kStarted - 3 * kNanosPerSecond);
  EXPECT_EQ(DeadlineIn(3600), kStarted + 3600 * kNanosPerSecond);
}

TEST(CallDeadline, OfCenturiesIsNone) {
  // A grpc-timeout has up to eight digits of hours. An int64_t of nanoseconds overflows after
  // 2,562,047 hours.
  for (const int64_t hours : {2'000'000LL, 2'562'048LL, 5'000'001LL, 99'999'999LL}) {
    EXPECT_EQ(DeadlineIn(hours * 3600), engine::kNoDeadline) << hours;
  }
  EXPECT_LE(DeadlineIn(-99'999'999LL * 3600), kStarted);
}

}  // namespace
}  // namespace dragoman::server
