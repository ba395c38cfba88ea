// A gRPC call, which begins when its headers have arrived and its request has not.
//
// The server registers all methods as bidirectional streams, which have the same wire format as
// unary methods. gRPC would report a unary call only together with its message. A message that is
// slow or never arrives would then have no timeout of this server, and a call that was cancelled
// before its message would look like an empty request. CallReactor reads the one message, within
// limits on time and size, and passes it on.
//
// Owned by gRPC until OnDone. Timers have weak references. Reactions never block. Thread-safe
// unless stated otherwise. While CallReactor calls gRPC functions that may call back, it holds no
// lock except end_mu_.
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

// Returns a call's deadline on the server's clock. This is the client's deadline, which counts from
// the headers. If the client has set none (infinite), it is `started` + `longest`. For a deadline
// centuries away, returns kNoDeadline.
engine::Nanos CallDeadline(gpr_timespec deadline, gpr_timespec now, engine::Nanos started,
                           engine::Nanos longest);

// The derived class must hold a CallTracker::Ticket as long as the object exists.
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

  // Called at most once, when the request has arrived, and not if HandleNoRequest is called. Runs
  // on one of the RequestReaders if the request is large.
  virtual void HandleRequest(const grpc::ByteBuffer& request) = 0;
  // Called when the request will not arrive, at most once, from any thread. Must finish the call
  // with `status`.
  virtual void HandleNoRequest(absl::Status status) = 0;
  // Called when the client cancelled the call or its deadline passed, after the request had
  // arrived.
  virtual void HandleCancel() {}
  // Called last, after all other methods.
  virtual void HandleDone() {}

  // Returns the facts that the headers give. `route` is "SERVICE/METHOD".
  CallHead Head(Api api, std::string route) const;

  // Sets the call's id. The id goes into the initial metadata with the first message. If the call
  // fails before the first message, the id goes into the trailing metadata. An answer with initial
  // metadata is not Trailers-Only, so neither gRPC (proposal A6) nor Envoy would retry the call on
  // another server. Call it before anything is sent.
  void SetRequestId(const std::string& request_id) { request_id_ = request_id; }

  // Converts a status to gRPC's, and puts the status's retry hint into the trailing metadata. Call
  // it right before the end of the call.
  grpc::Status EndStatus(const absl::Status& status);

  // Sends a message of a stream. REQUIRES: until OnWriteDone, `message` stays alive and no other
  // message is sent.
  void Send(const grpc::ByteBuffer* message);

  // Each of the two functions ends the call. Only one of them may be called, and only once. After
  // that, only HandleDone may use gRPC's objects, and the reactor may be destroyed. Both cut off a
  // client that does not read within the write timeout.
  void SendAndFinish(grpc::ByteBuffer* response, const grpc::Status& status);
  void FinishCall(const grpc::Status& status);

  const CallContext& calls() const { return *service_->calls; }
  grpc::CallbackServerContext* rpc() { return rpc_; }
  engine::Nanos started() const { return started_; }

  // Reports whether the deadline is so close that it is taken to be the cause of a cancellation.
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

  // kWaiting: the request has arrived. If it is large, it waits for a thread of RequestReaders.
  enum class Phase { kReading, kWaiting, kHandling, kHandled, kNoRequest };

  // Ends the reading and reports whether this is the first call of StopReading. `bytes` is the size
  // of the request, or 0 if it has not arrived. If `next` is kWaiting, a cancellation may clear the
  // request afterwards.
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

  // Held during the cancellation of a call whose client does not read. OnDone locks it, so that the
  // call is not destroyed during the cancellation. This cannot deadlock, because gRPC runs no
  // reaction on the thread that cancels.
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
