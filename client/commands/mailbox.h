// A queue from many threads to the one that owns the work, with a file descriptor to poll.
//
// Thread-safe: Push from any thread, TakeAll from the owner. What is pushed is never dropped; the
// senders bound how much there is. std::mutex without annotations, because clang knows none for
// it: every member function locks it as a whole.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace dragoman::client {

template <typename T>
class Mailbox {
 public:
  Mailbox() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Mailbox() {
    if (fd_ >= 0) close(fd_);
  }
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  // Readable while something waits; negative if the system refused one.
  int fd() const { return fd_; }

  void Push(T message) {
    // The descriptor is written under the lock, so that the owner cannot take the message, and
    // perhaps end the mailbox, before Push is done with it.
    std::lock_guard<std::mutex> lock(mu_);
    messages_.push_back(std::move(message));
    if (messages_.size() == 1) {
      const uint64_t one = 1;
      [[maybe_unused]] const ssize_t written = write(fd_, &one, sizeof one);
    }
  }

  // Replaces what is in `*messages` by all that waits, in order of arrival.
  void TakeAll(std::vector<T>* messages) {
    messages->clear();
    std::lock_guard<std::mutex> lock(mu_);
    if (messages_.empty()) return;
    uint64_t count;
    [[maybe_unused]] const ssize_t got = read(fd_, &count, sizeof count);
    messages->swap(messages_);
  }

 private:
  const int fd_;
  std::mutex mu_;
  std::vector<T> messages_;
};

}  // namespace dragoman::client
