#include "client/commands/line_source.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace dragoman::client {

void LineSource::Append(const char* begin, const char* end, std::deque<std::string>* lines) {
  if (skipping_) return;
  rest_.append(begin, end);
  if (!TooLong(rest_)) return;
  lines->push_back(std::exchange(rest_, {}));
  skipping_ = true;
}

absl::Status LineSource::Read(std::deque<std::string>* lines) {
  std::array<char, 64 << 10> block;
  ssize_t got = 0;
  do {
    got = read(fd_, block.data(), block.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) {
    if (errno == EAGAIN) return absl::OkStatus();
    ended_ = true;
    return absl::ErrnoToStatus(errno, "cannot read the input");
  }
  if (got == 0) {
    ended_ = true;
    if (!rest_.empty()) lines->push_back(std::exchange(rest_, {}));
    return absl::OkStatus();
  }
  const char* at = block.data();
  const char* const end = at + got;
  while (const void* found = unit_ == Unit::kLine
                                 ? std::memchr(at, '\n', static_cast<size_t>(end - at))
                                 : nullptr) {
    const char* newline = static_cast<const char*>(found);
    Append(at, newline, lines);
    if (!std::exchange(skipping_, false)) lines->push_back(std::exchange(rest_, {}));
    at = newline + 1;
  }
  Append(at, end, lines);
  // With Unit::kWhole, a text that is too long ends the source.
  if (skipping_ && unit_ == Unit::kWhole) ended_ = true;
  return absl::OkStatus();
}

absl::Status LineSource::Read(std::deque<TextItem>* items) {
  std::deque<std::string> lines;
  absl::Status status = Read(&lines);
  for (std::string& line : lines) items->push_back({std::move(line), ""});
  return status;
}

absl::StatusOr<std::deque<std::string>> ReadLinesOf(const std::string& path, size_t max_bytes) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, "cannot open " + path);
  LineSource source(fd);
  std::deque<std::string> lines;
  size_t bytes = 0;
  absl::Status status;
  while (!source.ended() && status.ok()) {
    size_t known = lines.size();
    status = source.Read(&lines);
    for (; known < lines.size() && status.ok(); ++known) {
      bytes += lines[known].size();
      if (LineSource::TooLong(lines[known])) {
        status = absl::InvalidArgumentError(absl::StrCat(
            path, " has a line of more than the ", LineSource::kMaxLineBytes, " bytes allowed"));
      } else if (bytes > max_bytes) {
        status = absl::InvalidArgumentError(
            absl::StrCat(path, " has more than the ", max_bytes,
                         " bytes allowed, for all of it is held in memory"));
      }
    }
  }
  close(fd);
  if (!status.ok()) return status;
  return lines;
}

}  // namespace dragoman::client
