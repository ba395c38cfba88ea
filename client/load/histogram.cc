#include "client/load/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace dragoman::client {

int Histogram::BucketOf(int64_t value) {
  const int width = std::bit_width(static_cast<uint64_t>(value));
  if (width <= kLinearBits) return static_cast<int>(value);
  // The kLinearBits highest bits of the value, of which the first is always 1, select the bucket
  // within its power of two.
  const int shift = width - kLinearBits;
  return static_cast<int>(shift * kHalf + (value >> shift));
}

int64_t Histogram::LastOf(int bucket) {
  if (bucket < 2 * kHalf) return bucket;
  const int shift = static_cast<int>(bucket / kHalf) - 1;
  const int64_t leading = bucket - shift * kHalf;
  return ((leading + 1) << shift) - 1;
}

void Histogram::Record(std::chrono::nanoseconds value) {
  const int64_t v = std::clamp<int64_t>(value.count(), 0, kMax);
  ++buckets_[BucketOf(v)];
  ++count_;
  min_ = std::min(min_, v);
  max_ = std::max(max_, v);
  sum_ += static_cast<double>(v);
}

std::chrono::nanoseconds Histogram::mean() const {
  if (count_ == 0) return std::chrono::nanoseconds(0);
  return std::chrono::nanoseconds(
      static_cast<int64_t>(std::llround(sum_ / static_cast<double>(count_))));
}

std::chrono::nanoseconds Histogram::Percentile(double fraction) const {
  if (count_ == 0) return std::chrono::nanoseconds(0);
  const int64_t rank = std::clamp<int64_t>(
      static_cast<int64_t>(std::ceil(fraction * static_cast<double>(count_))), 1, count_);
  int64_t seen = 0;
  for (int bucket = 0; bucket < kBuckets; ++bucket) {
    seen += buckets_[bucket];
    if (seen >= rank) return std::chrono::nanoseconds(std::min(LastOf(bucket), max_));
  }
  return max();
}

}  // namespace dragoman::client
