// Reads lines from a file descriptor, or its complete content as one text.
//
// Not thread-safe. Borrows the descriptor. Bytes are not changed. A line ends at '\n' or at the end
// of the file. A complete text (Unit::kWhole) keeps every '\n'. To bound the memory, a line that is
// longer than kMaxLineBytes is replaced by a marker (TooLong).
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/commands/translate_run.h"

namespace dragoman::client {

class LineSource : public TextSource {
 public:
  enum class Unit { kLine, kWhole };

  static constexpr size_t kMaxLineBytes = kMaxTextBytes;
  // Reports whether `line` is the marker of a line that was too long.
  static bool TooLong(const std::string& line) { return line.size() > kMaxLineBytes; }

  explicit LineSource(int fd, Unit unit = Unit::kLine) : fd_(fd), unit_(unit) {}

  // Reads once from the descriptor and appends the lines that are complete to `lines`. When a line
  // exceeds the limit, appends its marker at once. Blocks if the descriptor is not readable. After
  // an error, ended() is true.
  absl::Status Read(std::deque<std::string>* lines);
  absl::Status Read(std::deque<TextItem>* items) override;

  bool ended() const override { return ended_; }
  int fd() const override { return fd_; }

 private:
  void Append(const char* begin, const char* end, std::deque<std::string>* lines);

  const int fd_;
  const Unit unit_;
  bool ended_ = false;
  // Whether the bytes up to the next '\n' belong to a line that was too long.
  bool skipping_ = false;
  std::string rest_;  // the beginning of a line that is not complete yet
};

// Reads all lines of a file. Returns INVALID_ARGUMENT if a line is too long or the file has more
// than `max_bytes`.
absl::StatusOr<std::deque<std::string>> ReadLinesOf(const std::string& path, size_t max_bytes);

}  // namespace dragoman::client
