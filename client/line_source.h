// Lines from a file descriptor, as they come.
//
// Not thread-safe. Borrows the descriptor. Bytes pass through untouched; only '\n' ends a line, and
// an end of file ends a last line without one.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "absl/status/status.h"

namespace dragoman {

class LineSource {
 public:
  explicit LineSource(int fd) : fd_(fd) {}

  // Reads once and appends the lines that are whole now. Waits only if the descriptor is not
  // readable. An error ends the source.
  absl::Status Read(std::deque<std::string>* lines);

  bool ended() const { return ended_; }
  int fd() const { return fd_; }

 private:
  const int fd_;
  bool ended_ = false;
  std::string rest_;  // the beginning of a line
};

}  // namespace dragoman
