// The calls of a TranslationClient. A call makes one or more attempts, waits between them, and
// reports its result once.
#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/client_core.h"
#include "client/clock.h"
#include "client/retry_policy.h"
#include "client/translation_client.h"
#include "dragoman/v1/translation.pb.h"

namespace dragoman::client {

// One callback at a time, that of the current attempt or wait, keeps the call alive (shared_ptr)
// and runs its code. So the call needs no lock for its state. Any thread may call Cancel at any
// time.
class Call : public std::enable_shared_from_this<Call> {
 public:
  // Borrows `retry`.
  Call(ClientCore* core, TranslationClient::Timeout timeout, const RetryOptions& retry);
  virtual ~Call() = default;

  void Start();

  // Ends the current attempt or wait. The call then ends with CANCELLED.
  void Cancel();

 protected:
  // Starts an attempt: sends the request on `link` with context(). Must call Ended when the attempt
  // has ended.
  virtual void Attempt(Link& link) = 0;
  virtual void Finish(absl::Status status) = 0;

  // Handles the end of an attempt: retries or finishes. `received` says that the client has
  // received a message of the call or has cancelled the call. Then no retry is possible.
  void Ended(const grpc::Status& grpc_status, bool received);

  grpc::ClientContext* context() { return context_.get(); }

 private:
  // Registers `context`, so that Cancel can end the attempt. Returns false if the call is already
  // cancelled.
  bool Begin(std::shared_ptr<grpc::ClientContext> context);
  bool IsCancelled();
  int64_t Attempts();
  // Lets Cancel call `hurry`, which ends the wait after attempt number `attempt` early. Does
  // nothing if this wait has already ended. Returns true if the call is already cancelled; the
  // caller must then call `hurry` itself.
  bool IsCancelledAfter(int64_t attempt, std::function<void()> hurry);

  const ClientCore::InFlight in_flight_;  // first, so that it is destroyed after all other members
  ClientCore& core_;
  const ClientClock::TimePoint deadline_;
  RetryState retry_;
  std::shared_ptr<grpc::ClientContext> context_;  // the context of the current attempt

  std::mutex mu_;
  // Guarded by mu_.
  bool cancelled_ = false;
  int64_t attempts_ = 0;
  std::shared_ptr<grpc::ClientContext> current_;  // copy of context_, for Cancel
  std::function<void()> hurry_;                   // ends the latest wait early
};

// Starts a call. The returned function cancels it but does not keep it alive.
TranslationClient::CancelCall Launch(const std::shared_ptr<Call>& call);

// A received message, and whether its bytes could not be parsed. gRPC's callbacks do not tell: they
// then report OK and an empty message.
template <typename Message>
struct Received {
  Message message;
  bool is_broken = false;
};

// Returns INTERNAL if `is_broken`, else `status`.
grpc::Status StatusWith(bool is_broken, const grpc::Status& status);

// A unary gRPC method.
struct Method {
  const char* path = nullptr;
  // Also sent to servers that are NOT_SERVING (Link::plain in client_core.h).
  bool is_question = false;
};

template <typename Request, typename Response>
class UnaryCall : public Call {
 public:
  using Done = std::function<void(absl::StatusOr<Response>)>;

  UnaryCall(ClientCore* core, TranslationClient::Timeout timeout, const RetryOptions& retry,
            const Method& method, std::shared_ptr<const Request> request, Done done)
      : Call(core, timeout, retry),
        method_(method),
        request_(std::move(request)),
        done_(std::move(done)) {}

 private:
  void Attempt(Link& link) override {
    response_ = {};
    grpc::TemplatedGenericStub<Request, Received<Response>> stub(
        method_.is_question ? link.plain : link.channel);
    stub.UnaryCall(context(), method_.path, grpc::StubOptions(), request_.get(), &response_,
                   [this, self = shared_from_this()](const grpc::Status& status) {
                     Ended(StatusWith(response_.is_broken, status), false);
                   });
  }
  void Finish(absl::Status status) override {
    if (status.ok()) {
      done_(std::move(response_.message));
    } else {
      done_(std::move(status));
    }
  }

  const Method method_;
  const std::shared_ptr<const Request> request_;
  const Done done_;
  Received<Response> response_;
};

class StreamCall : public Call {
 public:
  StreamCall(ClientCore* core, TranslationClient::Timeout timeout, const RetryOptions& retry,
             std::shared_ptr<const v1::TranslateRequest> request,
             TranslationClient::OnMessage on_message, TranslationClient::StreamDone done)
      : Call(core, timeout, retry),
        request_(std::move(request)),
        on_message_(std::move(on_message)),
        done_(std::move(done)) {}

 private:
  class Reader;

  void Attempt(Link& link) override;
  void Finish(absl::Status status) override { done_(std::move(status)); }

  const std::shared_ptr<const v1::TranslateRequest> request_;
  const TranslationClient::OnMessage on_message_;
  const TranslationClient::StreamDone done_;
  bool received_ = false;
};

}  // namespace dragoman::client

template <typename Message>
class grpc::SerializationTraits<dragoman::client::Received<Message>, void> {
 public:
  static grpc::Status Deserialize(grpc::ByteBuffer* bytes,
                                  dragoman::client::Received<Message>* out) {
    const grpc::Status status =
        grpc::SerializationTraits<Message>::Deserialize(bytes, &out->message);
    out->is_broken = !status.ok();
    return status;
  }
};
