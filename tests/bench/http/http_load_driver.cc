#include "tests/bench/http/http_load_driver.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace dragoman {

absl::StatusOr<std::optional<HttpAnswer>> ReadHttpAnswer(std::string_view bytes) {
  constexpr std::string_view kBegin = "HTTP/1.1 ";
  const size_t known = std::min(bytes.size(), kBegin.size());
  if (bytes.substr(0, known) != kBegin.substr(0, known)) {
    return absl::InvalidArgumentError("found no answer of HTTP/1.1");
  }
  const size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  HttpAnswer answer;
  const std::vector<std::string> lines =
      absl::StrSplit(absl::string_view(bytes.data(), end), "\r\n");
  if (!absl::SimpleAtoi(lines[0].substr(kBegin.size(), 3), &answer.status)) {
    return absl::InvalidArgumentError("found '" + lines[0] + "', expected a status");
  }
  std::optional<size_t> length;
  for (const std::string& line : lines) {
    const std::pair<std::string, std::string> field = absl::StrSplit(line, absl::MaxSplits(':', 1));
    const absl::string_view value = absl::StripAsciiWhitespace(field.second);
    if (absl::EqualsIgnoreCase(field.first, "content-length")) {
      size_t parsed = 0;
      if (!absl::SimpleAtoi(value, &parsed)) {
        return absl::InvalidArgumentError(absl::StrCat("found Content-Length '", value, "'"));
      }
      length = parsed;
    } else if (absl::EqualsIgnoreCase(field.first, "connection")) {
      answer.keeps_open = !absl::EqualsIgnoreCase(value, "close");
    }
  }
  if (!length.has_value()) {
    return absl::InvalidArgumentError("found an answer without Content-Length");
  }
  const std::string_view rest = bytes.substr(end + 4);
  if (rest.size() < *length) return std::nullopt;
  if (rest.size() > *length) {
    return absl::InvalidArgumentError(
        absl::StrCat("found ", rest.size() - *length, " bytes after the answer"));
  }
  answer.body = rest;
  return answer;
}

client::LoadCompletion ToCompletion(const HttpAnswer& answer) {
  client::LoadCompletion completion;
  if (answer.status != 200) {
    const auto code = answer.status == 429   ? absl::StatusCode::kResourceExhausted
                      : answer.status == 503 ? absl::StatusCode::kUnavailable
                                             : absl::StatusCode::kUnknown;
    completion.status = absl::Status(
        code, absl::StrCat("status ", answer.status, ": ",
                           absl::string_view(answer.body.data(),
                                             std::min<size_t>(answer.body.size(), 200))));
    return completion;
  }
  const auto body = nlohmann::json::parse(answer.body, nullptr, /*allow_exceptions=*/false);
  // A text of words that the model does not know may have an empty translation.
  if (!body.is_object() || !body.contains("translatedText") ||
      !body["translatedText"].is_string()) {
    completion.status = absl::InternalError("found no \"translatedText\" in the answer");
    return completion;
  }
  completion.items = 1;
  return completion;
}

absl::StatusOr<std::unique_ptr<HttpLoadDriver>> HttpLoadDriver::Open(
    const std::string& host, int port, const std::string& path,
    const std::vector<std::string>& bodies, int connections) {
  std::unique_ptr<HttpLoadDriver> driver(new HttpLoadDriver);
  driver->host_ = host;
  driver->port_ = port;
  for (const std::string& body : bodies) {
    driver->requests_.push_back(absl::StrCat(
        "POST ", path, " HTTP/1.1\r\nHost: ", host, ":", port,
        "\r\nContent-Type: application/json\r\nContent-Length: ", body.size(), "\r\n\r\n", body));
  }
  driver->epoll_ = epoll_create1(EPOLL_CLOEXEC);
  if (driver->epoll_ < 0) return absl::ErrnoToStatus(errno, "epoll_create1");
  driver->connections_.resize(static_cast<size_t>(connections));
  for (size_t i = 0; i < driver->connections_.size(); ++i) {
    if (absl::Status status = driver->Connect(i); !status.ok()) return status;
    driver->free_.push_back(i);
  }
  return driver;
}

HttpLoadDriver::~HttpLoadDriver() {
  for (Connection& connection : connections_) Close(&connection);
  if (epoll_ >= 0) close(epoll_);
}

client::ClientClock::TimePoint HttpLoadDriver::Now() { return client::ClientClock::Real()->Now(); }

absl::Status HttpLoadDriver::Connect(size_t index) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port_));
  if (inet_pton(AF_INET, host_.c_str(), &address.sin_addr) != 1) {
    return absl::InvalidArgumentError("found host '" + host_ + "', expected an IPv4 address");
  }
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return absl::ErrnoToStatus(errno, "socket");
  connections_[index].fd = fd;
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    Close(&connections_[index]);
    return absl::UnavailableError(
        absl::ErrnoToStatus(error, absl::StrCat("cannot connect to ", host_, ":", port_))
            .message());
  }
  const int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = index;
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) != 0) {
    return absl::ErrnoToStatus(errno, "epoll_ctl");
  }
  return absl::OkStatus();
}

void HttpLoadDriver::Close(Connection* connection) {
  if (connection->fd >= 0) close(connection->fd);
  connection->fd = -1;
  connection->received.clear();
}

void HttpLoadDriver::Send(int64_t call) {
  const size_t index = free_.back();
  free_.pop_back();
  Connection& connection = connections_[index];
  connection.call = call;
  absl::Status status;
  if (connection.fd < 0) status = Connect(index);
  const std::string& request = requests_[static_cast<size_t>(call) % requests_.size()];
  for (size_t sent = 0; status.ok() && sent < request.size();) {
    const ssize_t now =
        send(connection.fd, request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
    if (now >= 0) {
      sent += static_cast<size_t>(now);
    } else if (errno != EINTR) {
      status = absl::UnavailableError(absl::ErrnoToStatus(errno, "cannot send").message());
    }
  }
  if (status.ok()) return;
  client::LoadCompletion failed;
  failed.status = std::move(status);
  End(index, std::move(failed), /*keeps_open=*/false, &not_sent_);
}

void HttpLoadDriver::End(size_t index, client::LoadCompletion completion, bool keeps_open,
                         std::vector<client::LoadCompletion>* completions) {
  Connection& connection = connections_[index];
  completion.call = std::exchange(connection.call, -1);
  completion.finished = Now();
  connection.received.clear();
  if (!keeps_open) Close(&connection);
  free_.push_back(index);
  completions->push_back(std::move(completion));
}

void HttpLoadDriver::Read(size_t index, std::vector<client::LoadCompletion>* completions) {
  Connection& connection = connections_[index];
  std::array<char, 64 << 10> block;
  const ssize_t got = recv(connection.fd, block.data(), block.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0 || connection.call < 0) {
    // The server closed the connection or sent bytes without a request.
    if (connection.call < 0) return Close(&connection);
    client::LoadCompletion lost;
    lost.status = absl::UnavailableError("the connection ended before the answer");
    return End(index, std::move(lost), /*keeps_open=*/false, completions);
  }
  connection.received.append(block.data(), static_cast<size_t>(got));
  const auto answer = ReadHttpAnswer(connection.received);
  if (!answer.ok()) {
    client::LoadCompletion wrong;
    wrong.status = absl::InternalError(answer.status().message());
    return End(index, std::move(wrong), /*keeps_open=*/false, completions);
  }
  if (!answer->has_value()) return;
  const bool keeps_open = (*answer)->keeps_open;
  End(index, ToCompletion(**answer), keeps_open, completions);
}

void HttpLoadDriver::Wait(std::optional<client::ClientClock::TimePoint> until,
                          std::vector<client::LoadCompletion>* completions) {
  completions->clear();
  completions->swap(not_sent_);
  int timeout_ms = -1;
  if (!completions->empty()) {
    timeout_ms = 0;
  } else if (until.has_value()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*until - Now());
    timeout_ms = static_cast<int>(std::clamp<int64_t>(left.count(), 0, 60'000));
  }
  std::array<epoll_event, 256> events;
  const int ready = epoll_wait(epoll_, events.data(), events.size(), timeout_ms);
  for (int i = 0; i < ready; ++i) Read(events[static_cast<size_t>(i)].data.u64, completions);
}

}  // namespace dragoman
