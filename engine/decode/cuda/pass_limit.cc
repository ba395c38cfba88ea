#include "engine/decode/cuda/pass_limit.h"

#include <algorithm>
#include <limits>

namespace dragoman::engine {

PassLimit::PassLimit(std::span<const int> buckets)
    : buckets_(buckets.begin(), buckets.end()),
      shortest_(buckets.size(), std::numeric_limits<double>::infinity()) {}

void PassLimit::Add(int bucket, double seconds) {
  const auto at = std::lower_bound(buckets_.begin(), buckets_.end(), bucket) - buckets_.begin();
  double& shortest = shortest_[static_cast<size_t>(at)];
  shortest = std::min(shortest, seconds);
  longest_ = std::max(longest_, seconds);
}

int64_t PassLimit::tokens() const {
  if (longest_ == 0) return buckets_.back();
  int64_t most = std::min<int64_t>(kAlways, buckets_.back());
  // The least time per row in the buckets up to this one.
  double of_row = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < buckets_.size(); ++i) {
    of_row = std::min(of_row, shortest_[i] / buckets_[i]);
    if (of_row * buckets_[i] <= kMostSeconds) most = std::max<int64_t>(most, buckets_[i]);
  }
  return most;
}

}  // namespace dragoman::engine
