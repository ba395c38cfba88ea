// Sends the load generator's calls over HTTP/1.1, as ClientLoadDriver does over gRPC: POST with JSON in
// LibreTranslate's dialect, on connections that stay open.
//
// Single-threaded: the owner sends and reads, so an answer's time is that of its reading, and what the
// owner does between is part of the latency. Its own share is the process's CPU time, which the report has.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "client/load/load_run.h"

namespace dragoman {

// The beginning of an answer, as far as it has come.
struct HttpAnswer {
  int status = 0;
  bool keeps_open = true;  // whether the connection takes another request
  std::string_view body;
};

// Unset until all of it is there. INVALID_ARGUMENT for what is not an answer of HTTP/1.1 with Content-Length,
// and for bytes after its end.
absl::StatusOr<std::optional<HttpAnswer>> ReadHttpAnswer(std::string_view bytes);

// How a call ended that was answered so: `items` is 1 where the answer has a translation.
client::LoadCompletion ToCompletion(const HttpAnswer& answer);

class HttpLoadDriver : public client::LoadDriver {
 public:
  // Opens `connections` to `host`, an IPv4 address, and `port`. Call n sends body n modulo their number to `path`.
  // UNAVAILABLE if a connection is refused. REQUIRES: bodies is not empty, and no more calls are in flight than
  // there are connections.
  static absl::StatusOr<std::unique_ptr<HttpLoadDriver>> Open(
      const std::string& host, int port, const std::string& path,
      const std::vector<std::string>& bodies, int connections);
  ~HttpLoadDriver() override;

  client::ClientClock::TimePoint Now() override;
  // A call that cannot be sent ends with UNAVAILABLE at the next Wait.
  void Send(int64_t call) override;
  void Wait(std::optional<client::ClientClock::TimePoint> until,
            std::vector<client::LoadCompletion>* completions) override;

 private:
  struct Connection {
    int fd = -1;  // negative: closed, and opened anew by the next call
    int64_t call = -1;
    std::string received;
  };

  HttpLoadDriver() = default;
  absl::Status Connect(size_t index);
  void Close(Connection* connection);
  // Reads what has come; appends a completion if that ends the call.
  void Read(size_t index, std::vector<client::LoadCompletion>* completions);
  void End(size_t index, client::LoadCompletion completion, bool keeps_open,
           std::vector<client::LoadCompletion>* completions);

  std::string host_;
  int port_ = 0;
  int epoll_ = -1;
  std::vector<std::string> requests_;
  std::vector<Connection> connections_;
  std::vector<size_t> free_;  // connections without a call
  std::vector<client::LoadCompletion> not_sent_;
};

}  // namespace dragoman
