#include "client/progress.h"

#include <algorithm>
#include <ostream>
#include <string>

#include "absl/strings/str_format.h"

namespace dragoman {

void Progress::Update(int64_t lines, int64_t bytes, ClientClock::TimePoint now) {
  if (visible_ && drawn_.has_value() && now - *drawn_ < std::chrono::milliseconds(100)) return;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = seconds > 0 ? static_cast<double>(lines) / seconds : 0;
  std::string text = absl::StrFormat("%d lines, %.1f lines/s", lines, rate);
  if (total_bytes_.has_value() && *total_bytes_ > 0) {
    const double done =
        std::min(1.0, static_cast<double>(bytes) / static_cast<double>(*total_bytes_));
    if (done > 0) absl::StrAppendFormat(&text, ", %.0f s left", seconds * (1 - done) / done);
    const int width = std::min(40, columns_ - static_cast<int>(text.size()) - 11);
    if (width >= 5) {
      const int full = static_cast<int>(done * width);
      text = absl::StrFormat("[%s%s] %3.0f %% %s", std::string(full, '#'),
                             std::string(width - full, '.'), done * 100, text);
    }
  }
  text.resize(std::min(text.size(), static_cast<size_t>(std::max(1, columns_ - 1))));
  err_ << "\r\x1b[K" << text << std::flush;
  drawn_ = now;
  visible_ = true;
}

void Progress::Clear() {
  if (!visible_) return;
  err_ << "\r\x1b[K" << std::flush;
  visible_ = false;
}

}  // namespace dragoman
