// A progress bar on one line of a terminal.
//
// Not thread-safe. Borrows the stream. Draws at most ten times a second.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>

#include "client/clock.h"

namespace dragoman {

class Progress {
 public:
  // `total_bytes`: of the input, where that is known; else there is a count and no bar.
  Progress(std::ostream* err, int columns, std::optional<int64_t> total_bytes,
           ClientClock::TimePoint start)
      : err_(*err), columns_(columns), total_bytes_(total_bytes), start_(start) {}

  // Lines and bytes of the input that are done.
  void Update(int64_t lines, int64_t bytes, ClientClock::TimePoint now);
  // Takes the bar off the terminal, so that something else can be written; the next Update draws it
  // again.
  void Clear();

 private:
  std::ostream& err_;
  const int columns_;
  const std::optional<int64_t> total_bytes_;
  const ClientClock::TimePoint start_;
  std::optional<ClientClock::TimePoint> drawn_;  // when last
  bool visible_ = false;
};

}  // namespace dragoman
