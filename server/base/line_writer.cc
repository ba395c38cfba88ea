#include "server/base/line_writer.h"
#include "engine/base/thread_name.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <system_error>
#include <utility>

namespace dragoman::server {
namespace {

constexpr int kPollMillis = 100;

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
    changed_.NotifyAll();
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
    WriteLine(std::move(line));
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
  changed_.NotifyAll();
}

bool LineWriter::Flush(std::chrono::nanoseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  engine::MutexLock lock(&mu_);
  while (threaded_ && unfinished_.load(std::memory_order_relaxed) > 0) {
    if (!changed_.WaitUntil(&mu_, end)) return false;
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
  while (true) {
    Entry entry;
    {
      engine::MutexLock lock(&mu_);
      while (queue_.empty() && !stopped_) changed_.Wait(&mu_);
      if (stopped_) return;
      entry = std::move(queue_.front());
      queue_.pop_front();
      queued_bytes_ -= SizeOf(entry.line);
    }
    WriteEntry(entry);
    engine::MutexLock lock(&mu_);
    unfinished_.fetch_sub(1);
    changed_.NotifyAll();
  }
}

void LineWriter::WriteEntry(const Entry& entry) {
  if (entry.dropped_before > 0 && notice_ != nullptr && !WriteLine(notice_(entry.dropped_before))) {
    // The notice was lost, so the next notice also reports the lines that this one reported.
    engine::MutexLock lock(&mu_);
    unsaid_ += entry.dropped_before;
  }
  if (!WriteLine(entry.line)) CountDropped(1);
}

bool LineWriter::WriteLine(std::string line) {
  if (torn_) line.insert(line.begin(), '\n');
  line += '\n';
  // One call usually writes a whole line, so that lines of several processes do not mix.
  std::string_view rest = line;
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
      torn_ = torn_ || rest.size() < line.size();
      return false;
    }
  }
  torn_ = false;
  return true;
}

}  // namespace dragoman::server
