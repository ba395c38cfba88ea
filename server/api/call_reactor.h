// A call as gRPC hands it over: at its headers, before its request is here.
//
// All methods are taken as gRPC takes streams of both directions, whatever the client calls them
// (the wire is the same): unary methods would be handed over with their message only, so that one
// that comes slowly, or never, would have no clock of ours, and one that was cancelled before would
// look empty. This reads the one message, within its time and size, and hands it on.
//
// Owned by gRPC until OnDone; timers hold it weakly. Reactions never block. Thread-safe where not
// said otherwise. No lock is held where gRPC may come back to us, but end_mu_.
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

// The parts of the server that all calls of gRPC share. Everything is borrowed and outlives the
// calls.
struct ServiceContext {
  const CallContext* calls = nullptr;
  Guard* guard = nullptr;
  const ApiKeys* keys = nullptr;      // nullptr: calls need none
  int64_t max_message_bytes = 0;      // of a request
  int max_streams = 0;                // of one connection
  engine::Nanos receive_timeout = 0;  // from a call's headers until its request is whole
};

using RawReactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

// A call's deadline on our clock: gRPC's, which counts from the headers, or `longest` after
// `started` where the client brings none (infinite). Deadlines of centuries are kNoDeadline.
engine::Nanos CallDeadline(gpr_timespec deadline, gpr_timespec now, engine::Nanos started,
                           engine::Nanos longest);

// A derived class keeps a ticket of the CallTracker for as long as the call is known.
class CallReactor : public RawReactor, public std::enable_shared_from_this<CallReactor> {
 public:
  ~CallReactor() override = default;
  CallReactor(const CallReactor&) = delete;
  CallReactor& operator=(const CallReactor&) = delete;

  // Starts reading; gRPC holds the call from now on. To be called once.
  static RawReactor* Start(std::shared_ptr<CallReactor> call);

 protected:
  // `rpc` is gRPC's and lives until OnDone.
  CallReactor(const ServiceContext* service, grpc::CallbackServerContext* rpc);

  // The request is here. At most once, and then never HandleNoRequest. On one of the
  // RequestReaders if it is large.
  virtual void HandleRequest(const grpc::ByteBuffer& request) = 0;
  // There will be no request: finish with this status. At most once, from any thread.
  virtual void HandleNoRequest(absl::Status status) = 0;
  // gRPC says that the call, whose request is here, is cancelled: the client, or its deadline.
  virtual void HandleCancel() {}
  // The last call.
  virtual void HandleDone() {}

  // The call as it is known at its headers. `route` is "SERVICE/METHOD".
  CallHead Head(Api api, std::string route) const;

  // The call's name goes with the first message into the initial metadata, or, where the call ends
  // with an error before there is one, into the trailing metadata: an answer that has initial
  // metadata of its own is not Trailers-Only, and then neither gRPC (proposal A6) nor Envoy sends
  // the call to another server. To be called before anything is sent.
  void SetRequestId(const std::string& request_id) { request_id_ = request_id; }

  // Converts a status to gRPC's; its retry hint goes into the trailing metadata. To be called right
  // before the end.
  grpc::Status EndStatus(const absl::Status& status);

  // A message of a stream; OnWriteDone says when the next one may follow. gRPC reads `message`
  // until then.
  void Send(const grpc::ByteBuffer* message);

  // Both end the call, and one of them is called once; after it only HandleDone touches gRPC's
  // objects, and the reactor may be gone. A client that does not read the end within the write
  // timeout is cut off.
  void SendAndFinish(grpc::ByteBuffer* response, const grpc::Status& status);
  void FinishCall(const grpc::Status& status);

  const CallContext& calls() const { return *service_->calls; }
  grpc::CallbackServerContext* rpc() { return rpc_; }
  engine::Nanos started() const { return started_; }

  // Whether the deadline is so close that a cancellation is due to it.
  bool IsDeadline() const;

 private:
  void OnReadDone(bool ok) final;
  void OnCancel() final;
  void OnDone() final;

  // Handles the request, unless it was cancelled while it waited, and then a cancellation that has
  // come meanwhile.
  void Handle();
  // Ends a call whose request is not here yet.
  void EndReading(const absl::Status& status);
  int64_t HeaderBytes() const;

  // kWaiting: the request is here, and waits for a reader.
  enum class Phase { kReading, kWaiting, kHandling, kHandled, kNoRequest };

  // Ends the reading; true for the one caller that does so first. `bytes`: of a request that is here;
  // from kWaiting on a cancellation may clear it.
  bool StopReading(Phase next, int64_t bytes = 0);
  void HandleSlow();
  absl::Status CancelStatus() const;
  void GuardEnd();
  // To be called right before the first message.
  void PutRequestId();

  const ServiceContext* const service_;
  grpc::CallbackServerContext* const rpc_;
  const engine::Nanos started_;                          // at the headers
  const engine::Nanos deadline_;                         // counted from there
  const absl::StatusOr<std::shared_ptr<Grant>> access_;  // nullptr: no key is needed

  grpc::ByteBuffer request_;  // gRPC's until OnReadDone
  std::string request_id_;    // until it is sent

  engine::Mutex mu_;
  Phase phase_ ABSL_GUARDED_BY(mu_) = Phase::kReading;
  // A cancellation that came while the request was handled waits for its end.
  bool cancel_waits_ ABSL_GUARDED_BY(mu_) = false;
  DeadlineTimer::Id timer_ ABSL_GUARDED_BY(mu_) = DeadlineTimer::kNone;
  uint64_t guarded_ ABSL_GUARDED_BY(mu_) = 0;
  bool cancelled_ ABSL_GUARDED_BY(mu_) = false;  // after its request was here

  // Held while gRPC's call is cancelled for a client that takes nothing: OnDone waits for it, so
  // that the call is not destroyed meanwhile. gRPC runs no reaction on the thread that cancels.
  engine::Mutex end_mu_;
  bool done_ ABSL_GUARDED_BY(end_mu_) = false;
  DeadlineTimer::Id end_timer_ ABSL_GUARDED_BY(end_mu_) = DeadlineTimer::kNone;

  std::shared_ptr<CallReactor> self_;  // gRPC's share, until OnDone
};

// Ends a call of a method that the server does not have, whatever it is and before it is read. Owns
// itself: REQUIRES `new`, and is handed to gRPC.
class RefusingReactor final : public grpc::ServerGenericBidiReactor {
 public:
  explicit RefusingReactor(grpc::Status status) { Finish(std::move(status)); }
  void OnDone() override { delete this; }
};

}  // namespace dragoman::server
