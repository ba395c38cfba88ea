#include "server/net/http_post.h"

#include <netdb.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
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

// The way to the other side, with or without TLS. Calls wait until `end` at the latest, and return
// bytes, or 0 at the end of the connection, or -1.
class Wire {
 public:
  explicit Wire(int fd) : fd_(fd) {}
  ~Wire() { SSL_free(ssl_); }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  // Speaks TLS from now on; "" or why that fails.
  std::string StartTls(const TlsClient& tls, const std::string& host,
                       steady_clock::time_point end) {
    ssl_ = tls.NewConnection(host);
    if (ssl_ == nullptr || SSL_set_fd(ssl_, fd_) != 1) return "TLS: no memory";
    ERR_clear_error();
    const int done = Repeat(end, [this] { return SSL_connect(ssl_); });
    if (done > 0) return "";
    const int64_t verified = SSL_get_verify_result(ssl_);
    if (verified != X509_V_OK) {
      return absl::StrCat("TLS: certificate of ", host, ": ",
                          X509_verify_cert_error_string(verified));
    }
    const char* const reason = ERR_reason_error_string(ERR_peek_error());
    ERR_clear_error();
    return absl::StrCat("TLS: ", reason == nullptr ? "no handshake" : reason);
  }

  int Send(std::string_view text, steady_clock::time_point end) {
    if (ssl_ != nullptr) {
      return Repeat(end,
                    [&] { return SSL_write(ssl_, text.data(), static_cast<int>(text.size())); });
    }
    return Repeat(end, POLLOUT, [&] { return send(fd_, text.data(), text.size(), MSG_NOSIGNAL); });
  }

  int Receive(char* to, size_t size, steady_clock::time_point end) {
    if (ssl_ != nullptr) {
      return Repeat(end, [&] { return SSL_read(ssl_, to, static_cast<int>(size)); });
    }
    return Repeat(end, POLLIN, [&] { return recv(fd_, to, size, 0); });
  }

 private:
  template <typename Io>
  int Repeat(steady_clock::time_point end, short events, const Io& io) const {
    while (true) {
      const ssize_t done = io();
      if (done >= 0) return static_cast<int>(done);
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) return -1;
      if (!Await(fd_, events, end)) return -1;
    }
  }

  template <typename Io>
  int Repeat(steady_clock::time_point end, const Io& io) const {
    while (true) {
      const int done = io();
      if (done > 0) return done;
      const int why = SSL_get_error(ssl_, done);
      if (why == SSL_ERROR_ZERO_RETURN) return 0;
      if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) return -1;
      if (!Await(fd_, why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, end)) return -1;
    }
  }

  const int fd_;
  SSL* ssl_ = nullptr;
};

bool SendAll(Wire* wire, std::string_view text, std::chrono::milliseconds timeout) {
  const auto end = steady_clock::now() + timeout;
  while (!text.empty()) {
    const int sent = wire->Send(text, end);
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<size_t>(sent));
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
int ReadStatus(Wire* wire, std::chrono::milliseconds timeout) {
  const auto end = steady_clock::now() + timeout;
  std::string answer;
  while (answer.find('\n') == std::string::npos && answer.size() < kEnoughOfAnAnswer) {
    char buffer[512];
    const int got = wire->Receive(buffer, sizeof(buffer), end);
    if (got <= 0) return 0;
    answer.append(buffer, static_cast<size_t>(got));
  }
  return StatusOf(answer);
}

std::string RequestText(const HttpPostTarget& to, const std::string& content_type,
                        const std::string& body) {
  std::string request =
      absl::StrCat("POST ", to.path, " HTTP/1.1\r\nHost: ", AddressText(to.address),
                   "\r\nContent-Type: ", content_type, "\r\nContent-Length: ", body.size(), "\r\n");
  for (const auto& [name, value] : to.headers) absl::StrAppend(&request, name, ": ", value, "\r\n");
  absl::StrAppend(&request, "Connection: close\r\n\r\n", body);
  return request;
}

}  // namespace

HttpPostResult HttpPost(const HttpPostTarget& to, const std::string& content_type,
                        const std::string& body, std::chrono::milliseconds timeout) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int unknown =
      getaddrinfo(to.address.host.c_str(), std::to_string(to.address.port).c_str(), &hints, &found);
  if (unknown != 0) return {0, absl::StrCat(to.address.host, ": ", gai_strerror(unknown))};
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, freeaddrinfo);
  for (const addrinfo* at = addresses.get(); at != nullptr; at = at->ai_next) {
    const Socket socket(
        ::socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol));
    if (socket.fd() < 0 || !Connect(socket.fd(), *at, timeout)) continue;
    // The body may have been received from here on, so no other address is tried.
    Wire wire(socket.fd());
    if (to.tls != nullptr) {
      std::string failed = wire.StartTls(*to.tls, to.address.host, steady_clock::now() + timeout);
      if (!failed.empty()) return {0, std::move(failed)};
    }
    if (!SendAll(&wire, RequestText(to, content_type, body), timeout)) {
      return {0, "the connection ended while the request was sent"};
    }
    const int status = ReadStatus(&wire, timeout);
    return {status, status == 0 ? "no answer in HTTP" : ""};
  }
  return {0, absl::StrCat(AddressText(to.address), ": no connection")};
}

}  // namespace dragoman
