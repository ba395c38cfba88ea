// Limits the tokens of an encoder pass, so that decoding steps do not wait long for it. A GPU does
// not interrupt a kernel, so a step waits for running kernels of a pass at any stream priority.
//
// The limit follows from the times of earlier passes. Passes share the device with steps, so the
// shortest time of each size counts. The limit never changes the result of a segment.
//
// Not thread-safe. Times are seconds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman::engine {

class PassLimit {
 public:
  // The longest time of a pass: about one or two steps of a full batch on the measured cards.
  static constexpr double kMostSeconds = 2e-3;
  // A pass may always have this many tokens. A smaller pass is hardly faster, because it reads the
  // same weights.
  static constexpr int64_t kAlways = 256;

  // `buckets` are the row counts of passes, ascending.
  explicit PassLimit(std::span<const int> buckets);

  // Adds the time of a pass that was launched for `bucket` rows. REQUIRES: a bucket.
  void Add(int bucket, double seconds);

  // Returns the most tokens of a pass: the largest bucket that is expected to take at most
  // kMostSeconds, and at least kAlways. The expected time is the least time of a row in this or a
  // smaller bucket, times the rows. Before the first Add, returns the largest bucket.
  int64_t tokens() const;

  // Returns the time of the longest pass so far.
  double longest() const { return longest_; }

 private:
  std::vector<int> buckets_;
  std::vector<double> shortest_;  // of each bucket; infinite if there is no time yet
  double longest_ = 0;
};

}  // namespace dragoman::engine
