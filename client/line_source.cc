#include "client/line_source.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace dragoman {

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
    rest_.append(at, newline);
    lines->push_back(std::exchange(rest_, {}));
    at = newline + 1;
  }
  rest_.append(at, end);
  return absl::OkStatus();
}

}  // namespace dragoman
