// How many tokens an encoder pass may have, so that it is through before decoding steps have waited
// for long: the kernels of a step take turns with those of a pass that run already, whatever the
// priorities of their streams, for a GPU does not interrupt a kernel.
//
// By the time that earlier passes took on the device. Passes share it with steps, so the shortest
// time of each size counts. It decides how segments are put together, never what becomes of one.
//
// Pure; used by one thread. Times are seconds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman::engine {

class PassLimit {
 public:
  // A pass may take so long: a step or two of a full batch on the cards that steps were counted for.
  static constexpr double kMostSeconds = 2e-3;
  // A pass may always have so many tokens. With fewer, weights are read for each that would serve
  // many, and the time hardly falls.
  static constexpr int64_t kAlways = 256;

  // `buckets`: the row counts that passes are launched for, ascending.
  explicit PassLimit(std::span<const int> buckets);

  // A pass that was launched for `bucket` rows, one of the buckets, took so long.
  void Add(int bucket, double seconds);

  // The tokens that a pass may have: a bucket, the largest that is expected to be through in
  // kMostSeconds. Of one for which there is no time yet the time of a smaller one is expected, in
  // proportion to its rows, which is no less than it takes. The largest of all before the first Add.
  int64_t tokens() const;

  // The longest pass so far.
  double longest() const { return longest_; }

 private:
  std::vector<int> buckets_;
  std::vector<double> shortest_;  // of each bucket; infinite where there is none
  double longest_ = 0;
};

}  // namespace dragoman::engine
