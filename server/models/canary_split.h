// Which calls of a model its canary gets: a share of them, spread evenly and without chance.
//
// Not thread-safe.
#pragma once

#include <cstdint>

namespace dragoman {

// Every call's number is turned by the golden ratio of a circle, and the canary has an arc of it as
// long as its share (Weyl's sequence, of the lowest discrepancy that one number gives: Niederreiter,
// Random Number Generation and Quasi-Monte Carlo Methods, 1992, chapter 3). So of any run of calls
// the canary gets its share but for two or three calls, while clients that send every second or
// tenth call of another kind do not meet the canary with one kind alone, as they would where every
// tenth call is the canary's.
class CanarySplit {
 public:
  // Parts per 10,000, from 0 to 10,000.
  explicit CanarySplit(int share) { SetShare(share); }
  void SetShare(int share) { share_ = share; }
  int share() const { return share_; }

  // Whether the next call is the canary's.
  bool Next() {
    constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;  // of 2^64
    turned_ += kGoldenRatio;
    // The upper 32 bits are as good, and 10,000 times them does not overflow.
    return (turned_ >> 32) * kWhole < (static_cast<uint64_t>(share_) << 32);
  }

  static constexpr int kWhole = 10'000;

 private:
  uint64_t turned_ = 0;
  int share_ = 0;
};

}  // namespace dragoman
