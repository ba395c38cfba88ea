// The calls of one TranslationClient share channels, a budget of retries, and the count of calls in
// flight.
#pragma once

#include <grpcpp/channel.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/retry_policy.h"
#include "client/translation_client.h"

namespace dragoman::client {

// The channels of an address, or of all the addresses of a name. Translations go by one channel, and
// what is asked of a server about itself by another, for that is asked of servers that do not serve,
// too. A channel that is not used does not connect.
struct Link {
  Link(std::shared_ptr<grpc::Channel> for_translations,
       std::shared_ptr<grpc::Channel> for_questions)
      : channel(std::move(for_translations)), plain(std::move(for_questions)) {}
  std::shared_ptr<grpc::Channel> channel;
  std::shared_ptr<grpc::Channel> plain;
};

// Thread-safe.
class ClientCore {
 public:
  // Fails as TranslationClient::Create does.
  static absl::StatusOr<std::unique_ptr<ClientCore>> Create(const ClientOptions& options);
  ClientCore(const ClientCore&) = delete;
  ClientCore& operator=(const ClientCore&) = delete;

  // The next link in turn; one that is known not to answer only when all are. Lives as long as this.
  Link& Pick();

  // gRPC says of a connection that failed little more than that it did. The same status, and what
  // else is known.
  absl::Status Explain(absl::Status status) const;

  // Reports whether the client has one address, no server has ever answered it, and `status` (as gRPC
  // made it) says that the connection was refused. A retry would only make the user wait.
  bool NobodyIsThere(const absl::Status& status) const;

  // Held by a call as long as it has anything of the client or of gRPC. The last reference to a
  // channel must not go on a thread of gRPC's callbacks: the channel joins those threads, itself
  // among them, and frees the queue that they wait on (gRPC 1.51: "assertion failed: prior > 0").
  class InFlight {
   public:
    explicit InFlight(ClientCore* core);
    ~InFlight();
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;

   private:
    ClientCore& core_;
  };
  void WaitUntilIdle();

  // A number of its own for each call.
  uint64_t NextCall() { return calls_.fetch_add(1, std::memory_order_relaxed); }

  const ClientOptions options;
  RetryBudget budget;

 private:
  explicit ClientCore(const ClientOptions& o) : options(o), budget(o.retry) {}

  std::vector<std::unique_ptr<Link>> links_;  // constant after Create
  std::atomic<uint64_t> calls_{0};
  std::atomic<uint64_t> next_link_{0};
  std::mutex mu_;  // of in_flight_
  std::condition_variable idle_;
  int64_t in_flight_ = 0;
};

}  // namespace dragoman::client
