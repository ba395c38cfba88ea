// Writes lines to a file descriptor without waiting for its reader: a bounded queue, and one thread
// that writes.
//
// Thread-safe. The descriptor is borrowed. A line that finds the queue full, or that the system
// does not take (a closed pipe, a full disk), is dropped and counted, and the next line that gets
// through says how many were lost before it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "engine/base/mutex.h"

namespace dragoman::server {

class LineWriter {
 public:
  // Makes the line that stands for `dropped` lines; nullptr: there is none.
  using Notice = std::function<std::string(int64_t dropped)>;

  // Holds at most `max_bytes` of lines.
  LineWriter(int fd, int64_t max_bytes, Notice notice);
  // Ends after the write under way: lines that wait after it are lost without Flush.
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // Never waits for the reader. The line's end is added.
  void Write(std::string line);

  // Waits until all lines are written or dropped, but no longer than this. False: some wait still.
  bool Flush(std::chrono::nanoseconds timeout);

  // The same for a signal handler: takes no lock and allocates nothing.
  void FlushInHandler(std::chrono::milliseconds timeout) const;

  int64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  struct Entry {
    std::string line;
    int64_t dropped_before = 0;
  };

  void Run();
  // Blocks as long as the reader takes nothing.
  void WriteEntry(const Entry& entry);
  bool WriteLine(std::string line);
  void CountDropped(int64_t lines);

  const int fd_;
  const int64_t max_bytes_;
  const Notice notice_;
  std::atomic<int64_t> dropped_{0};
  std::atomic<int64_t> unfinished_{0};  // lines in the queue or under way
  std::atomic<bool> stopped_{false};
  bool torn_ = false;  // the writing thread's: the last line lacks its end

  engine::Mutex mu_;
  engine::CondVar changed_;
  std::deque<Entry> queue_ ABSL_GUARDED_BY(mu_);
  int64_t queued_bytes_ ABSL_GUARDED_BY(mu_) = 0;
  int64_t unsaid_ ABSL_GUARDED_BY(mu_) = 0;  // dropped, and no notice given yet
  bool threaded_ = true;                     // constant after construction
  std::thread thread_;
};

}  // namespace dragoman::server
