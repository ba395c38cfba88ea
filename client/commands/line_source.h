// Lines from a file descriptor, as they come, or all of it as one.
//
// Not thread-safe. Borrows the descriptor. Bytes pass through untouched; only '\n' ends a line, and
// an end of file ends a last line without one. A whole text keeps every '\n'. Of a line that is
// longer than kMaxLineBytes nothing but that is kept, so an input without lines takes no memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dragoman::client {

class LineSource {
 public:
  enum class Unit { kLine, kWhole };

  // Far above what any server takes by default (30,000 code points).
  static constexpr size_t kMaxLineBytes = size_t{16} << 20;
  // Whether a line that was read stands for a longer one.
  static bool TooLong(const std::string& line) { return line.size() > kMaxLineBytes; }

  explicit LineSource(int fd, Unit unit = Unit::kLine) : fd_(fd), unit_(unit) {}

  // Reads once and appends the lines that are whole now, and one that is too long as soon as it is.
  // Waits only if the descriptor is not readable. An error ends the source.
  absl::Status Read(std::deque<std::string>* lines);

  bool ended() const { return ended_; }
  int fd() const { return fd_; }

 private:
  void Append(const char* begin, const char* end, std::deque<std::string>* lines);

  const int fd_;
  const Unit unit_;
  bool ended_ = false;
  bool skipping_ = false;  // the rest of a line that was too long
  std::string rest_;       // what has no end yet
};

// All lines of a file that must be in memory as a whole. INVALID_ARGUMENT when it has a line that
// is too long, or more than `max_bytes` in all.
absl::StatusOr<std::deque<std::string>> ReadLinesOf(const std::string& path, size_t max_bytes);

}  // namespace dragoman::client
