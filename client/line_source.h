// Lines from a file descriptor, as they come, or all of it as one.
//
// Not thread-safe. Borrows the descriptor. Bytes pass through untouched; only '\n' ends a line, and
// an end of file ends a last line without one. A whole text keeps every '\n'.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "absl/status/status.h"

namespace dragoman {

class LineSource {
 public:
  enum class Unit { kLine, kWhole };

  explicit LineSource(int fd, Unit unit = Unit::kLine) : fd_(fd), unit_(unit) {}

  // Reads once and appends the lines that are whole now. Waits only if the descriptor is not
  // readable. An error ends the source.
  absl::Status Read(std::deque<std::string>* lines);

  bool ended() const { return ended_; }
  int fd() const { return fd_; }

 private:
  const int fd_;
  const Unit unit_;
  bool ended_ = false;
  std::string rest_;  // what has no end yet
};

}  // namespace dragoman
