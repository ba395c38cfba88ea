// A gRPC call from its headers on, before its request has arrived.
//
// The server registers all methods as bidirectional streams, which have the same wire format. For
// unary methods, gRPC would report a call only with its message. Then a message that is slow or
// never arrives would have no timeout of ours, and a call that was cancelled before its message
// would look like an empty request. This class reads the one message, within limits on time and
// size, and passes it on.
//
// Owned by gRPC until OnDone; timers hold weak references. Reactions never block. Thread-safe
// unless stated otherwise. No lock except end_mu_ is held during calls of gRPC that may call back.
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/clock.h"
#include "engine/base/mutex.h"
#include "server/base/deadline_timer.h"
#include "server/call/api_keys.h"
#include "server/call/call_context.h"
#include "server/call/call_transport.h"
#include "server/transport/guard.h"

namespace dragoman::server {

// The parts of the server that all gRPC calls share. Everything is borrowed and outlives the calls.
struct ServiceContext {
  const CallContext* calls = nullptr;
  Guard* guard = nullptr;
  const ApiKeys* keys = nullptr;      // nullptr: calls need none
  int64_t max_message_bytes = 0;      // the largest request
  int max_streams = 0;                // concurrent calls of one connection
  engine::Nanos receive_timeout = 0;  // from the headers until the complete request
};

using RawReactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

// Returns a call's deadline on our clock: gRPC's deadline, which counts from the headers, or
// `started` + `longest` if the client sets none (infinite). Deadlines of centuries are kNoDeadline.
engine::Nanos CallDeadline(gpr_timespec deadline, gpr_timespec now, engine::Nanos started,
                           engine::Nanos longest);

// A derived class holds a ticket of the CallTracker as long as it exists.
class CallReactor : public RawReactor, public std::enable_shared_from_this<CallReactor> {
 public:
  ~CallReactor() override = default;
  CallReactor(const CallReactor&) = delete;
  CallReactor& operator=(const CallReactor&) = delete;

  // Starts reading. gRPC owns the call from then on. Call once.
  static RawReactor* Start(std::shared_ptr<CallReactor> call);

 protected:
  // gRPC owns `rpc`, which lives until OnDone.
  CallReactor(const ServiceContext* service, grpc::CallbackServerContext* rpc);

  // Called when the request has arrived, at most once, and not together with HandleNoRequest. Runs
  // on one of the RequestReaders if the request is large.
  virtual void HandleRequest(const grpc::ByteBuffer& request) = 0;
  // Called when the request will not arrive, at most once, from any thread. Must finish the call
  // with `status`.
  virtual void HandleNoRequest(absl::Status status) = 0;
  // Called when the call was cancelled, by the client or its deadline, after its request had
  // arrived.
  virtual void HandleCancel() {}
  // Called last, after all other methods.
  virtual void HandleDone() {}

  // Returns the facts that the headers give. `route` is "SERVICE/METHOD".
  CallHead Head(Api api, std::string route) const;

  // Sets the call's id. The id goes into the initial metadata with the first message. If the call
  // fails before that, it goes into the trailing metadata, because an answer with its own initial
  // metadata is not Trailers-Only, and neither gRPC (proposal A6) nor Envoy would retry the call on
  // another server. Call before anything is sent.
  void SetRequestId(const std::string& request_id) { request_id_ = request_id; }

  // Converts a status to gRPC's, and puts its retry hint into the trailing metadata. Call right
  // before the end of the call.
  grpc::Status EndStatus(const absl::Status& status);

  // Sends a message of a stream. REQUIRES: until OnWriteDone, `message` stays alive and no other
  // message is sent.
  void Send(const grpc::ByteBuffer* message);

  // Each ends the call; call one of them, once. Then only HandleDone may use gRPC's objects, and
  // the reactor may be destroyed. Cuts off a client that does not read within the write timeout.
  void SendAndFinish(grpc::ByteBuffer* response, const grpc::Status& status);
  void FinishCall(const grpc::Status& status);

  const CallContext& calls() const { return *service_->calls; }
  grpc::CallbackServerContext* rpc() { return rpc_; }
  engine::Nanos started() const { return started_; }

  // Reports whether the deadline is so close that it counts as the cause of a cancellation.
  bool IsDeadline() const;

 private:
  void OnReadDone(bool ok) final;
  void OnCancel() final;
  void OnDone() final;

  // Handles the request, unless the call was cancelled. Then handles a cancellation that came
  // meanwhile.
  void Handle();
  // Ends a call whose request has not arrived yet.
  void EndReading(const absl::Status& status);
  int64_t HeaderBytes() const;

  // kWaiting: the request has arrived and waits for a reader.
  enum class Phase { kReading, kWaiting, kHandling, kHandled, kNoRequest };

  // Ends the reading and reports whether this caller was the first to do so. `bytes` is the size of
  // the request, or 0 if it has not arrived. From phase kWaiting on, a cancellation may clear the
  // request.
  bool StopReading(Phase next, int64_t bytes = 0);
  void HandleSlow();
  absl::Status CancelStatus() const;
  void GuardEnd();
  // Call right before the first message.
  void PutRequestId();

  const ServiceContext* const service_;
  grpc::CallbackServerContext* const rpc_;
  const engine::Nanos started_;                          // when the headers arrived
  const engine::Nanos deadline_;                         // counted from the headers
  const absl::StatusOr<std::shared_ptr<Grant>> access_;  // see AccessOf

  grpc::ByteBuffer request_;  // gRPC uses it until OnReadDone
  std::string request_id_;    // "" after it was sent

  engine::Mutex mu_;
  Phase phase_ ABSL_GUARDED_BY(mu_) = Phase::kReading;
  // A cancellation arrived while the request was handled.
  bool cancel_waits_ ABSL_GUARDED_BY(mu_) = false;
  DeadlineTimer::Id timer_ ABSL_GUARDED_BY(mu_) = DeadlineTimer::kNone;
  uint64_t guarded_ ABSL_GUARDED_BY(mu_) = 0;
  bool cancelled_ ABSL_GUARDED_BY(mu_) = false;  // cancelled after the request had arrived

  // Held during the cancellation of a call whose client does not read. OnDone waits for it, so that
  // the call is not destroyed meanwhile. This cannot deadlock, because gRPC runs no reaction on the
  // thread that cancels.
  engine::Mutex end_mu_;
  bool done_ ABSL_GUARDED_BY(end_mu_) = false;
  DeadlineTimer::Id end_timer_ ABSL_GUARDED_BY(end_mu_) = DeadlineTimer::kNone;

  std::shared_ptr<CallReactor> self_;  // gRPC's reference, until OnDone
};

// Refuses a call of any method that the server does not have, before its request is read. Owns
// itself. REQUIRES: created with `new` and passed to gRPC.
class RefusingReactor final : public grpc::ServerGenericBidiReactor {
 public:
  explicit RefusingReactor(grpc::Status status) { Finish(std::move(status)); }
  void OnDone() override { delete this; }
};

}  // namespace dragoman::server
