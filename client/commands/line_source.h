// Reads lines from a file descriptor, or its whole content as one text.
//
// Not thread-safe. Borrows the descriptor. Bytes are not changed. Only '\n' ends a line, or the end
// of the file. A whole text keeps every '\n'. Only a marker remains of a line that is longer than
// kMaxLineBytes, which bounds the memory.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dragoman::client {

class LineSource {
 public:
  enum class Unit { kLine, kWhole };

  // Far above any server's default limit (30,000 code points).
  static constexpr size_t kMaxLineBytes = size_t{16} << 20;
  // Reports whether `line` is the marker of a line that was too long.
  static bool TooLong(const std::string& line) { return line.size() > kMaxLineBytes; }

  explicit LineSource(int fd, Unit unit = Unit::kLine) : fd_(fd), unit_(unit) {}

  // Reads once and appends the complete lines. Appends a line that is too long as soon as it
  // exceeds the limit. Blocks only if the descriptor is not readable. An error ends the source.
  absl::Status Read(std::deque<std::string>* lines);

  bool ended() const { return ended_; }
  int fd() const { return fd_; }

 private:
  void Append(const char* begin, const char* end, std::deque<std::string>* lines);

  const int fd_;
  const Unit unit_;
  bool ended_ = false;
  bool skipping_ = false;  // the rest of a line that was too long
  std::string rest_;       // an incomplete line
};

// Reads all lines of a file. INVALID_ARGUMENT: a line is too long, or the file above `max_bytes`.
absl::StatusOr<std::deque<std::string>> ReadLinesOf(const std::string& path, size_t max_bytes);

}  // namespace dragoman::client
