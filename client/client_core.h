// State that the calls of one TranslationClient share: channels, retry budget, calls in flight.
#pragma once

#include <grpcpp/channel.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/retry_policy.h"
#include "client/translation_client.h"

namespace dragoman::client {

// The channels of one address, or of all addresses of one name. Translations use `channel`.
// Questions about the server itself use `plain`, because they also go to servers that are not
// serving. A channel that is not used does not connect.
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

  // Returns the next link in turn. Returns a link that is known not to answer only if all links
  // are. The link lives as long as this object.
  Link& Pick();

  // Adds an explanation to the status of a failed connection, which gRPC hardly explains.
  absl::Status Explain(absl::Status status) const;

  // Reports whether the client has one address, no server has ever answered it, and `status` (as
  // gRPC made it) says that the connection was refused. A retry would only make the user wait.
  bool NobodyIsThere(const absl::Status& status) const;

  // A call holds one as long as it owns any object of the client or of gRPC. The last reference to
  // a channel must not be released on a callback thread of gRPC: the channel would join its own
  // thread and free the queue on which the threads wait (gRPC 1.51: "assertion failed: prior > 0").
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

  // Returns a different number for each call.
  uint64_t NextCall() { return calls_.fetch_add(1, std::memory_order_relaxed); }

  const ClientOptions options;
  RetryBudget budget;

 private:
  explicit ClientCore(const ClientOptions& o) : options(o), budget(o.retry) {}

  std::vector<std::unique_ptr<Link>> links_;  // constant after Create
  std::atomic<uint64_t> calls_{0};
  std::atomic<uint64_t> next_link_{0};
  std::mutex mu_;  // guards in_flight_
  std::condition_variable idle_;
  int64_t in_flight_ = 0;
};

}  // namespace dragoman::client
