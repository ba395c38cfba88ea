// The state that the calls of one TranslationClient share: channels, retry budget, and the number
// of calls in flight.
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

// The two channels to an address, or to all addresses of a name. Translations use `channel`, which
// skips servers that are NOT_SERVING. Calls that ask about the server itself use `plain`, which
// skips none. A channel that is not used does not connect.
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
  // The errors are those of TranslationClient::Create.
  static absl::StatusOr<std::unique_ptr<ClientCore>> Create(const ClientOptions& options);
  ClientCore(const ClientCore&) = delete;
  ClientCore& operator=(const ClientCore&) = delete;

  // Returns each link in turn. Skips links whose server is known not to answer, unless no server
  // answers. The link lives as long as this object.
  Link& Pick();

  // Returns `status`, with an explanation added if a failed connection is the reason, because
  // gRPC's message says little.
  absl::Status Explain(absl::Status status) const;

  // Reports whether probably no server is running: the client has a single address, none of its
  // calls has ever been answered, and `status` says that the connection was refused. Then a retry
  // would only make the user wait. REQUIRES: `status` is as gRPC has returned it.
  bool NobodyIsThere(const absl::Status& status) const;

  // Counts a call as in flight while the object exists. A call has an InFlight as long as it owns
  // any object of the client or of gRPC. The client's destructor waits until no call has an
  // InFlight. Otherwise, a callback thread of gRPC could release the last reference to a channel.
  // The channel would then join this thread, which is its own, and free the queue on which the
  // threads wait (gRPC 1.51: "assertion failed: prior > 0").
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

  // Returns a number that is different for each call.
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
