// A test client that sends arbitrary bytes over a connection and reads the answer.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

namespace dragoman::testing {

class RawClient {
 public:
  // Connects to `address`, which has the form that a server prints: 127.0.0.1:PORT.
  explicit RawClient(const std::string& address)
      : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
    EXPECT_EQ(connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0);
    // Long enough for an answer even on a busy machine.
    const timeval patience{20, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  }
  RawClient(RawClient&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), left_(std::move(other.left_)) {}
  RawClient& operator=(RawClient&&) = delete;
  ~RawClient() { Close(); }

  void Close() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }
  void EndSending() { shutdown(fd_, SHUT_WR); }
  int fd() const { return fd_; }

  // Returns false if the server does not accept the bytes.
  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(n));
    }
    return true;
  }

  // Returns everything until the server closes the connection.
  std::string ReadAll() {
    while (ReadMore()) {
    }
    return std::exchange(left_, "");
  }
  // Returns everything up to and including `end`, or until the connection ends.
  std::string ReadTo(std::string_view end) {
    size_t at = 0;
    while ((at = left_.find(end)) == std::string::npos) {
      if (!ReadMore()) return std::exchange(left_, "");
    }
    std::string text = left_.substr(0, at + end.size());
    left_.erase(0, at + end.size());
    return text;
  }
  // Returns `size` bytes, or fewer if the connection ends earlier.
  std::string ReadBytes(size_t size) {
    while (left_.size() < size && ReadMore()) {
    }
    std::string text = left_.substr(0, size);
    left_.erase(0, size);
    return text;
  }
  // Returns one answer whose headers give its length.
  std::string ReadAnswer() {
    std::string text = ReadTo("\r\n\r\n");
    constexpr std::string_view kLength = "Content-Length: ";
    const size_t at = text.find(kLength);
    if (at == std::string::npos) return text;
    return text + ReadBytes(std::stoul(text.substr(at + kLength.size())));
  }

 private:
  bool ReadMore() {
    char buffer[16 * 1024];
    const ssize_t n = recv(fd_, buffer, sizeof(buffer), 0);
    EXPECT_FALSE(n < 0 && errno == EAGAIN) << "nothing came for 20 s";
    if (n > 0) left_.append(buffer, static_cast<size_t>(n));
    return n > 0;
  }

  int fd_;
  std::string left_;
};

}  // namespace dragoman::testing
