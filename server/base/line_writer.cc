#include "server/base/line_writer.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <system_error>
#include <utility>

#include "engine/base/thread_name.h"

namespace dragoman::server {
namespace {

constexpr int kPollMillis = 100;
// Lines gather for this long, because waking the thread and writing cost more than making a line.
constexpr std::chrono::milliseconds kGather{1};
// Is what a pipe takes in one piece (PIPE_BUF), so that lines of several processes do not mix.
constexpr int64_t kBatchBytes = 4096;

int64_t SizeOf(const std::string& line) { return static_cast<int64_t>(line.size()); }

}  // namespace

LineWriter::LineWriter(int fd, int64_t max_bytes, Notice notice)
    : fd_(fd), max_bytes_(max_bytes), notice_(std::move(notice)) {
  try {
    thread_ = std::thread([this] { Run(); });
  } catch (const std::system_error&) {
    threaded_ = false;  // Write then writes directly; the process will soon fail
  }
}

LineWriter::~LineWriter() {
  stopped_ = true;
  {
    engine::MutexLock lock(&mu_);
    arrived_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

void LineWriter::CountDropped(int64_t lines) {
  dropped_.fetch_add(lines, std::memory_order_relaxed);
  engine::MutexLock lock(&mu_);
  unsaid_ += lines;
}

void LineWriter::Write(std::string line) {
  if (!threaded_) {
    WriteEntries({{std::move(line), 0}});
    return;
  }
  engine::MutexLock lock(&mu_);
  if (queued_bytes_ + SizeOf(line) > max_bytes_) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    ++unsaid_;
    return;
  }
  queued_bytes_ += SizeOf(line);
  unfinished_.fetch_add(1, std::memory_order_relaxed);
  queue_.push_back({std::move(line), std::exchange(unsaid_, 0)});
  if (asleep_) arrived_.NotifyOne();
}

bool LineWriter::Flush(std::chrono::nanoseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  engine::MutexLock lock(&mu_);
  while (threaded_ && unfinished_.load(std::memory_order_relaxed) > 0) {
    if (!finished_.WaitUntil(&mu_, end)) return false;
  }
  return true;
}

void LineWriter::FlushInHandler(std::chrono::milliseconds timeout) const {
  constexpr int kStepMillis = 2;
  const timespec step{0, kStepMillis * 1'000'000};
  for (int64_t waited = 0; waited < timeout.count() && unfinished_.load() > 0;
       waited += kStepMillis) {
    nanosleep(&step, nullptr);
  }
}

void LineWriter::Run() {
  engine::NameThisThread("line writer");
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);  // other threads handle signals
  while (!stopped_) {
    const std::vector<Entry> entries = Take();
    int64_t bytes = 0;
    for (const Entry& entry : entries) bytes += SizeOf(entry.line);
    WriteEntries(entries);
    engine::MutexLock lock(&mu_);
    queued_bytes_ -= bytes;
    unfinished_.fetch_sub(static_cast<int64_t>(entries.size()));
    finished_.NotifyAll();
  }
}

std::vector<LineWriter::Entry> LineWriter::Take() {
  engine::MutexLock lock(&mu_);
  if (queue_.empty()) {
    while (queue_.empty() && !stopped_) {
      asleep_ = true;
      arrived_.Wait(&mu_);
      asleep_ = false;
    }
    if (!stopped_) arrived_.WaitFor(&mu_, kGather);
  }
  std::vector<Entry> entries;
  int64_t bytes = 0;
  while (!queue_.empty() && !stopped_) {
    const int64_t size = SizeOf(queue_.front().line);
    if (!entries.empty() && bytes + size + 1 > kBatchBytes) break;
    bytes += size + 1;
    entries.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  return entries;
}

void LineWriter::WriteEntries(const std::vector<Entry>& entries) {
  std::string bytes;
  std::vector<size_t> ends;  // of the entries' lines in `bytes`
  const auto write = [&] {
    if (bytes.empty()) return true;
    if (torn_) bytes.insert(bytes.begin(), '\n');
    const size_t offset = torn_ ? 1 : 0;
    const size_t written = WriteBytes(bytes);
    torn_ = written < bytes.size() && (written > 0 ? bytes[written - 1] != '\n' : torn_);
    const bool all = written == bytes.size();
    const auto lost =
        std::ranges::count_if(ends, [&](size_t end) { return end + offset > written; });
    if (lost > 0) CountDropped(lost);
    bytes.clear();
    ends.clear();
    return all;
  };
  for (const Entry& entry : entries) {
    if (entry.dropped_before > 0 && notice_ != nullptr) {
      write();
      bytes = notice_(entry.dropped_before) + "\n";
      if (!write()) {
        // The notice was lost, so the next notice also reports the lines that this one reported.
        engine::MutexLock lock(&mu_);
        unsaid_ += entry.dropped_before;
      }
    }
    bytes += entry.line;
    bytes += '\n';
    ends.push_back(bytes.size());
  }
  write();
}

size_t LineWriter::WriteBytes(std::string_view bytes) {
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t written = write(fd_, rest.data(), rest.size());
    if (written > 0) {
      rest.remove_prefix(static_cast<size_t>(written));
    } else if (written < 0 && errno == EINTR) {
      continue;
    } else if (written < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) && !stopped_) {
      // Another process that shares the descriptor made it non-blocking.
      pollfd ready{fd_, POLLOUT, 0};
      poll(&ready, 1, kPollMillis);
    } else {
      break;
    }
  }
  return bytes.size() - rest.size();
}

}  // namespace dragoman::server
