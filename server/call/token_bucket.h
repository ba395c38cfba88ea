// A rate limit that allows bursts. Not thread-safe. Times are of the caller's clock.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/base/clock.h"

namespace dragoman::server {

// The bucket has at most the amount of one minute. A Take of more than this succeeds if the bucket
// is full, because otherwise it would never succeed. The level is then negative, so that later
// calls wait longer.
class TokenBucket {
 public:
  // `per_minute` 0 means no limit.
  explicit TokenBucket(int64_t per_minute = 0) { SetRate(per_minute); }

  // Sets the rate. The bucket keeps its content, but no more than its new size. A bucket that had
  // no limit becomes full.
  void SetRate(int64_t per_minute) {
    const auto size = static_cast<double>(per_minute);
    level_ = size_ == 0 ? size : std::min(level_, size);
    size_ = size;
  }

  // Takes `count` and returns 0, or takes nothing and returns the time until `count` is available.
  engine::Nanos Take(int64_t count, engine::Nanos now) {
    if (size_ == 0) return 0;
    if (now > filled_) {
      const double minutes = static_cast<double>(now - filled_) / kMinute;
      if (filled_ != kNever) level_ = std::min(size_, level_ + minutes * size_);
      filled_ = now;
    }
    const auto wanted = static_cast<double>(count);
    const double missing = std::min(wanted, size_) - level_;
    if (missing > 0) return static_cast<engine::Nanos>(std::ceil(missing / size_ * kMinute));
    level_ -= wanted;
    return 0;
  }

  // Puts back an amount that was taken and not used.
  void GiveBack(int64_t count) { level_ = std::min(size_, level_ + static_cast<double>(count)); }

 private:
  static constexpr double kMinute = 60e9;
  static constexpr engine::Nanos kNever = -1;

  double size_ = 0;
  double level_ = 0;
  engine::Nanos filled_ = kNever;  // the time for which level_ was computed
};

}  // namespace dragoman::server
