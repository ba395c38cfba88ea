// Limits the tokens of an encoder pass so that decoding steps do not wait long for it. A GPU does
// not interrupt a kernel, so a step waits for the pass's running kernels whatever the priority of
// its stream.
//
// The limit follows from the measured times of earlier passes. Passes share the device with steps,
// which lengthens their times, so the shortest time of each size counts. The limit never changes
// the result of a segment.
//
// Not thread-safe. Times are seconds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman::engine {

class PassLimit {
 public:
  // The longest time that a pass should take: about one or two steps of a full batch on the
  // measured cards.
  static constexpr double kMostSeconds = 2e-3;
  // A pass may always have this many tokens. A smaller pass would hardly take less time, because it
  // reads the same weights.
  static constexpr int64_t kAlways = 256;

  // `buckets` are the row counts for which passes are launched, ascending.
  explicit PassLimit(std::span<const int> buckets);

  // Adds the measured time of a pass that was launched for `bucket` rows. REQUIRES: `bucket` is one
  // of the buckets.
  void Add(int bucket, double seconds);

  // Returns the largest number of tokens that a pass may have: the largest bucket that is expected
  // to take at most kMostSeconds, and at least kAlways. The expected time of a bucket is the least
  // time per row in this or a smaller bucket, times its rows. Before the first Add, returns the
  // largest bucket.
  int64_t tokens() const;

  // Returns the time of the longest pass so far.
  double longest() const { return longest_; }

 private:
  std::vector<int> buckets_;
  std::vector<double> shortest_;  // shortest time of each bucket; infinite before its first Add
  double longest_ = 0;
};

}  // namespace dragoman::engine
