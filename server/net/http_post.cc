#include "server/net/http_post.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace dragoman {
namespace {

using std::chrono::steady_clock;

// The status line is all that is read.
constexpr size_t kEnoughOfAnAnswer = 4096;

class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int fd() const { return fd_; }

 private:
  const int fd_;
};

// Whether the socket is ready for `events` by then.
bool Await(int fd, short events, steady_clock::time_point end) {
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - steady_clock::now()).count();
    if (left <= 0) return false;
    pollfd wait{fd, events, 0};
    const int ready = poll(&wait, 1, static_cast<int>(left));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

bool Connect(int fd, const addrinfo& to, std::chrono::milliseconds timeout) {
  if (connect(fd, to.ai_addr, to.ai_addrlen) == 0) return true;
  if (errno != EINPROGRESS || !Await(fd, POLLOUT, steady_clock::now() + timeout)) return false;
  int error = 0;
  socklen_t size = sizeof(error);
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

bool SendAll(int fd, std::string_view text, std::chrono::milliseconds timeout) {
  const auto end = steady_clock::now() + timeout;
  while (!text.empty()) {
    const ssize_t sent = send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      text.remove_prefix(static_cast<size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!Await(fd, POLLOUT, end)) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

// The status code of a line like "HTTP/1.1 200 OK"; 0 if it is not such a line.
int StatusOf(std::string_view answer) {
  if (answer.substr(0, 7) != "HTTP/1." || answer.size() < 12 || answer[8] != ' ') return 0;
  int status = 0;
  for (const char digit : answer.substr(9, 3)) {
    if (digit < '0' || digit > '9') return 0;
    status = status * 10 + (digit - '0');
  }
  return status;
}

// Reads to the end of the status line.
int ReadStatus(int fd, std::chrono::milliseconds timeout) {
  const auto end = steady_clock::now() + timeout;
  std::string answer;
  while (answer.find('\n') == std::string::npos && answer.size() < kEnoughOfAnAnswer) {
    char buffer[512];
    const ssize_t got = recv(fd, buffer, sizeof(buffer), 0);
    if (got > 0) {
      answer.append(buffer, static_cast<size_t>(got));
    } else if (got == 0) {
      return 0;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!Await(fd, POLLIN, end)) return 0;
    } else if (errno != EINTR) {
      return 0;
    }
  }
  return StatusOf(answer);
}

}  // namespace

int HttpPost(const Address& to, const std::string& path, const std::string& content_type,
             const std::string& body, std::chrono::milliseconds timeout) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(to.host.c_str(), std::to_string(to.port).c_str(), &hints, &found) != 0) return 0;
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, freeaddrinfo);
  const std::string request = absl::StrCat(
      "POST ", path, " HTTP/1.1\r\nHost: ", AddressText(to), "\r\nContent-Type: ", content_type,
      "\r\nContent-Length: ", body.size(), "\r\nConnection: close\r\n\r\n", body);
  for (const addrinfo* at = addresses.get(); at != nullptr; at = at->ai_next) {
    const Socket socket(
        ::socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol));
    if (socket.fd() < 0 || !Connect(socket.fd(), *at, timeout)) continue;
    // The body may have been received from here on, so no other address is tried.
    return SendAll(socket.fd(), request, timeout) ? ReadStatus(socket.fd(), timeout) : 0;
  }
  return 0;
}

}  // namespace dragoman
