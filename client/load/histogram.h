// A histogram of durations. The width of its buckets is proportional to their values, as in
// HdrHistogram.
//
// Not thread-safe. Values are nanoseconds. A percentile is at least the exact value and at most
// 1/128 (0.8 %) larger. Memory is constant (36 KiB).
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace dragoman::client {

class Histogram {
 public:
  // Negative values count as 0, values above kMax (about 73 minutes) as kMax.
  void Record(std::chrono::nanoseconds value);

  int64_t count() const { return count_; }
  // Exact, not rounded to buckets; 0 if there are no values.
  std::chrono::nanoseconds max() const { return std::chrono::nanoseconds(max_); }
  std::chrono::nanoseconds min() const { return std::chrono::nanoseconds(count_ ? min_ : 0); }
  std::chrono::nanoseconds mean() const;

  // Returns the smallest value that at least `fraction` of the values do not exceed (nearest rank),
  // rounded up to the end of its bucket, but at most max(). Returns 0 if there are no values.
  // REQUIRES: 0 <= fraction <= 1.
  std::chrono::nanoseconds Percentile(double fraction) const;

  static constexpr int64_t kMax = (int64_t{1} << 42) - 1;

 private:
  // Each value below 2^kLinearBits has a bucket of its own. Each higher power of two has kHalf
  // buckets.
  static constexpr int kLinearBits = 8;
  static constexpr int64_t kHalf = int64_t{1} << (kLinearBits - 1);
  static constexpr int kBuckets = static_cast<int>(kHalf) * (42 - kLinearBits + 2);

  static int BucketOf(int64_t value);
  static int64_t LastOf(int bucket);

  std::array<int64_t, kBuckets> buckets_{};
  int64_t count_ = 0;
  int64_t min_ = kMax;
  int64_t max_ = 0;
  double sum_ = 0;
};

}  // namespace dragoman::client
