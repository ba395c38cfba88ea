// Sends the load generator's calls over HTTP/1.1, as ClientLoadDriver does over gRPC: POST with
// JSON in LibreTranslate's dialect, on persistent connections.
//
// Single-threaded: the owner sends and reads. The time of an answer is the time at which the owner
// reads it, so the owner's other work adds to the latency. The report has the process's CPU time.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "client/load/load_run.h"

namespace dragoman {

// The received part of an answer.
struct HttpAnswer {
  int status = 0;
  bool keeps_open = true;  // whether the connection accepts another request
  std::string_view body;
};

// Returns nullopt until the answer is complete. Returns INVALID_ARGUMENT if `bytes` is not an
// HTTP/1.1 answer with Content-Length, or has bytes after its end.
absl::StatusOr<std::optional<HttpAnswer>> ReadHttpAnswer(std::string_view bytes);

// Returns the completion of a call with this answer. `items` is 1 if the answer has a translation.
client::LoadCompletion ToCompletion(const HttpAnswer& answer);

class HttpLoadDriver : public client::LoadDriver {
 public:
  // Opens `connections` to the IPv4 address `host` and `port`. Call n sends body n modulo their
  // number to `path`. Returns UNAVAILABLE if a connection is refused. REQUIRES: bodies is not
  // empty, and there are at least as many connections as calls in flight.
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
    int fd = -1;  // negative: closed; the next call opens it again
    int64_t call = -1;
    std::string received;
  };

  HttpLoadDriver() = default;
  absl::Status Connect(size_t index);
  void Close(Connection* connection);
  // Reads the available bytes. Appends a completion if they end the call.
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
