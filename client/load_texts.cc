#include "client/load_texts.h"

#include <algorithm>

#include "client/line_source.h"
#include "client/utf8.h"

namespace dragoman {

absl::StatusOr<std::deque<std::string>> ReadLoadTexts(const std::string& path) {
  constexpr size_t kMaxBytes = size_t{1} << 30;
  absl::StatusOr<std::deque<std::string>> read = ReadLinesOf(path, kMaxBytes);
  if (!read.ok()) return read.status();
  std::deque<std::string>& lines = *read;
  lines.erase(std::remove_if(lines.begin(), lines.end(),
                             [](const std::string& line) {
                               return line.find_first_not_of(" \t\r") == std::string::npos;
                             }),
              lines.end());
  if (lines.empty()) {
    return absl::InvalidArgumentError(path + " has no text, expected lines that are not empty");
  }
  for (const std::string& line : lines) {
    if (FirstInvalidUtf8(line)) return absl::InvalidArgumentError(path + " is not UTF-8");
  }
  return read;
}

}  // namespace dragoman
