#include "kernels/cuda/stream.h"

#include <gtest/gtest.h>

namespace dragoman::kernels::cuda {
namespace {

TEST(Poll, AsksUntilItIsDone) {
  int asked = 0;
  bool done = false;
  const Error error = PollAtMost(
      std::chrono::hours(1),
      [&](bool* is_done) {
        *is_done = ++asked == 3;
        return Error::kNone;
      },
      &done);
  EXPECT_EQ(error, Error::kNone);
  EXPECT_TRUE(done);
  EXPECT_EQ(asked, 3);
}

TEST(Poll, GivesUpAtItsLimitAndHasAskedOnceAtLeast) {
  int asked = 0;
  bool done = true;
  const Error error = PollAtMost(
      std::chrono::nanoseconds(0),
      [&](bool* is_done) {
        ++asked;
        *is_done = false;
        return Error::kNone;
      },
      &done);
  EXPECT_EQ(error, Error::kNone);
  EXPECT_FALSE(done);
  EXPECT_EQ(asked, 1);
}

TEST(Poll, AnErrorIsTheAnswerAtOnce) {
  bool done = false;
  EXPECT_EQ(PollAtMost(
                std::chrono::hours(1), [](bool*) { return Error{700}; }, &done),
            Error{700});
  EXPECT_FALSE(done);
}

}  // namespace
}  // namespace dragoman::kernels::cuda
