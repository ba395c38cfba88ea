// A queue of messages from many threads to one thread, the owner. The owner can poll a file
// descriptor to wait for messages.
//
// Thread-safe: any thread may call Push; only the owner calls TakeAll. Messages are never dropped,
// so the senders must limit their number. mu_ guards messages_. There are no annotations, because
// clang does not support them for std::mutex.
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

  // Returns a file descriptor that is readable while a message waits, or a negative number if the
  // system could not create one.
  int fd() const { return fd_; }

  void Push(T message) {
    // Write to fd_ while the lock is held. Otherwise the owner could take the message and destroy
    // the mailbox before Push uses fd_.
    std::lock_guard<std::mutex> lock(mu_);
    messages_.push_back(std::move(message));
    if (messages_.size() == 1) {
      const uint64_t one = 1;
      [[maybe_unused]] const ssize_t written = write(fd_, &one, sizeof one);
    }
  }

  // Replaces the content of `*messages` with all waiting messages, in order of arrival.
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
