// Writes lines to a file descriptor through a bounded queue and its own thread.
//
// Thread-safe. Borrows the descriptor. Drops and counts a line if the queue is full or the system
// refuses it (a closed pipe, a full disk). Before the next line that is written, a notice says how
// many lines were lost.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/base/mutex.h"

namespace dragoman::server {

class LineWriter {
 public:
  // Makes a line that reports `dropped` lost lines. nullptr: no such line is written.
  using Notice = std::function<std::string(int64_t dropped)>;

  // At most `max_bytes` bytes of lines wait in the queue.
  LineWriter(int fd, int64_t max_bytes, Notice notice);
  // Waits for the running write only. Lines that still wait are lost, unless Flush comes first.
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  // Queues `line` with a line feed. It is written within two milliseconds, together with others. Never waits for the reader of the descriptor, except if the
  // writing thread could not be started.
  void Write(std::string line);

  // Waits at most `timeout` for all lines to be written or dropped. Returns false if some still
  // wait.
  bool Flush(std::chrono::nanoseconds timeout);

  // Flush for a signal handler: takes no lock and allocates nothing.
  void FlushInHandler(std::chrono::milliseconds timeout) const;

  int64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  struct Entry {
    std::string line;
    int64_t dropped_before = 0;  // lines that the notice before this line reports
  };

  void Run();
  // Takes entries of at most kBatchBytes, or one, from the queue, once there are some. Returns none
  // if the writer has been stopped.
  std::vector<Entry> Take();
  // Writes the lines, before each of them the notice of lines dropped before it. Blocks while the
  // reader of the descriptor reads nothing.
  void WriteEntries(const std::vector<Entry>& entries);
  // Returns how many bytes were written: fewer than all after an error.
  size_t WriteBytes(std::string_view bytes);
  void CountDropped(int64_t lines);

  const int fd_;
  const int64_t max_bytes_;
  const Notice notice_;
  std::atomic<int64_t> dropped_{0};
  std::atomic<int64_t> unfinished_{0};  // lines in the queue or being written
  std::atomic<bool> stopped_{false};
  bool torn_ = false;  // the last line was written in part; used only by the writing thread

  engine::Mutex mu_;
  engine::CondVar arrived_;                   // a line, or the end
  engine::CondVar finished_;                  // lines were written or dropped
  bool asleep_ ABSL_GUARDED_BY(mu_) = false;  // the thread waits for arrived_
  std::deque<Entry> queue_ ABSL_GUARDED_BY(mu_);
  int64_t queued_bytes_ ABSL_GUARDED_BY(mu_) = 0;  // of the lines that are not finished
  int64_t unsaid_ ABSL_GUARDED_BY(mu_) = 0;        // dropped lines that no notice has reported
  bool threaded_ = true;  // the thread could be started; constant after construction
  std::thread thread_;
};

}  // namespace dragoman::server
