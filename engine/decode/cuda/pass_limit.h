// Limits the tokens of an encoder pass so that decoding steps do not wait long for it. A GPU does
// not interrupt a kernel. So a step waits for the running kernels of a pass, even if the step's
// stream has a higher priority.
//
// The limit follows from the measured times of earlier passes. A pass takes longer while steps run
// on the device, so for each size of passes only the shortest time is used. The limit never changes
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

  // Returns the largest number of tokens that a pass may have. That is the largest bucket whose
  // expected time is at most kMostSeconds, but at least kAlways. The expected time of a bucket is
  // its number of rows times the shortest time per row in this or a smaller bucket. Before the
  // first Add, returns the largest bucket.
  int64_t tokens() const;

  // Returns the time of the longest pass so far.
  double longest() const { return longest_; }

 private:
  std::vector<int> buckets_;
  std::vector<double> shortest_;  // shortest time of each bucket; infinite before its first Add
  double longest_ = 0;
};

}  // namespace dragoman::engine
