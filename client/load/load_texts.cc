#include "client/load/load_texts.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "client/commands/line_source.h"
#include "client/commands/utf8.h"

namespace dragoman::client {

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

void SpreadLengths(std::deque<std::string>* texts) {
  std::stable_sort(
      texts->begin(), texts->end(),
      [](const std::string& one, const std::string& other) { return one.size() < other.size(); });
  // The fractional parts of any consecutive multiples of the golden ratio are distributed almost
  // evenly over 0 to 1 (Kuipers and Niederreiter, Uniform Distribution of Sequences, 1974).
  const auto place = [](size_t i) {
    return std::fmod(0.5 + 0.6180339887498949 * static_cast<double>(i), 1.0);
  };
  std::vector<size_t> turns(texts->size());
  std::iota(turns.begin(), turns.end(), size_t{0});
  std::sort(turns.begin(), turns.end(),
            [&place](size_t one, size_t other) { return place(one) < place(other); });
  std::deque<std::string> spread(texts->size());
  for (size_t rank = 0; rank < turns.size(); ++rank) {
    spread[turns[rank]] = std::move((*texts)[rank]);
  }
  *texts = std::move(spread);
}

}  // namespace dragoman::client
