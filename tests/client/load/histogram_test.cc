#include "client/load/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace dragoman::client {
namespace {

using std::chrono::nanoseconds;

TEST(Histogram, IsZeroWithoutValues) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0);
  EXPECT_EQ(histogram.Percentile(0.5).count(), 0);
  EXPECT_EQ(histogram.max().count(), 0);
  EXPECT_EQ(histogram.min().count(), 0);
  EXPECT_EQ(histogram.mean().count(), 0);
}

TEST(Histogram, IsExactForSmallValuesAndForOne) {
  Histogram small;
  for (int i = 1; i <= 100; ++i) small.Record(nanoseconds(i));
  EXPECT_EQ(small.Percentile(0.5).count(), 50);
  EXPECT_EQ(small.Percentile(0.99).count(), 99);
  EXPECT_EQ(small.Percentile(1).count(), 100);
  EXPECT_EQ(small.Percentile(0).count(), 1);
  Histogram one;
  one.Record(nanoseconds(123'456'789));
  EXPECT_EQ(one.Percentile(0.5).count(), 123'456'789);
  EXPECT_EQ(one.Percentile(0.999).count(), 123'456'789);
}

TEST(Histogram, PercentilesAgreeWithASortWithinTheBucketWidth) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> spread(std::log(2e7), 2.5);
  Histogram histogram;
  std::vector<int64_t> values;
  for (int i = 0; i < 20'000; ++i) {
    const auto value = std::min<int64_t>(static_cast<int64_t>(spread(random)), Histogram::kMax);
    values.push_back(value);
    histogram.Record(nanoseconds(value));
  }
  std::sort(values.begin(), values.end());
  for (const double fraction : {0.0001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999, 1.0}) {
    const auto rank = static_cast<size_t>(std::ceil(fraction * 20'000));
    const int64_t exact = values[rank - 1];
    const int64_t found = histogram.Percentile(fraction).count();
    EXPECT_GE(found, exact) << fraction;
    EXPECT_LE(found, exact + exact / 128 + 1) << fraction;
  }
  EXPECT_EQ(histogram.max().count(), values.back());
  EXPECT_EQ(histogram.min().count(), values.front());
}

TEST(Histogram, HoldsEveryPowerOfTwoAndItsNeighbours) {
  for (int bit = 1; bit < 42; ++bit) {
    for (const int64_t value :
         {(int64_t{1} << bit) - 1, int64_t{1} << bit, (int64_t{1} << bit) + 1}) {
      Histogram histogram;
      histogram.Record(nanoseconds(value));
      histogram.Record(nanoseconds(Histogram::kMax));
      const int64_t found = histogram.Percentile(0.5).count();
      EXPECT_GE(found, value);
      EXPECT_LE(found, value + value / 128 + 1);
    }
  }
}

TEST(Histogram, ClampsWhatIsOutOfRange) {
  Histogram histogram;
  histogram.Record(nanoseconds(-5));
  histogram.Record(nanoseconds(Histogram::kMax + 5));
  EXPECT_EQ(histogram.min().count(), 0);
  EXPECT_EQ(histogram.max().count(), Histogram::kMax);
  EXPECT_EQ(histogram.Percentile(1).count(), Histogram::kMax);
}

}  // namespace
}  // namespace dragoman::client
