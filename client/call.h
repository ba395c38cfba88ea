// The calls of a TranslationClient: their attempts, the waits between them, and their completion.
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

// One call: its attempts and the waits between them. The callbacks of the current attempt or wait
// keep the call alive. Only one of them accesses it at a time. Any thread may call Cancel.
class Call : public std::enable_shared_from_this<Call> {
 public:
  // `retry` is borrowed.
  Call(ClientCore* core, TranslationClient::Timeout timeout, const RetryOptions& retry);
  virtual ~Call() = default;

  void Start();

  // Ends the current attempt or wait. The call then ends with CANCELLED.
  void Cancel();

 protected:
  // Sends the call on `link` with context(). Calls Ended when the attempt has ended.
  virtual void Attempt(Link& link) = 0;
  virtual void Finish(absl::Status status) = 0;

  // `received`: the client received a message of the call or cancelled the call.
  void Ended(const grpc::Status& grpc_status, bool received);

  grpc::ClientContext* context() { return context_.get(); }

 private:
  // Makes Cancel end `context`. Returns false if the call is already cancelled.
  bool Begin(std::shared_ptr<grpc::ClientContext> context);
  bool IsCancelled();
  int64_t Attempts();
  // Makes Cancel call `hurry` during the wait after `attempt`. That wait may already have ended.
  // Returns true if the call is cancelled; the caller must then call `hurry`.
  bool IsCancelledAfter(int64_t attempt, std::function<void()> hurry);

  const ClientCore::InFlight in_flight_;  // first, so that it is destroyed after all other members
  ClientCore& core_;
  const ClientClock::TimePoint deadline_;
  RetryState retry_;
  std::shared_ptr<grpc::ClientContext> context_;  // of the current attempt

  std::mutex mu_;
  // Guarded by mu_.
  bool cancelled_ = false;
  int64_t attempts_ = 0;
  std::shared_ptr<grpc::ClientContext> current_;  // copy of context_, for Cancel
  std::function<void()> hurry_;                   // ends the latest wait early
};

// Starts a call. The returned function does not keep the call alive.
TranslationClient::CancelCall Launch(const std::shared_ptr<Call>& call);

// A received message, and whether parsing it failed. If the bytes of an answer cannot be parsed,
// gRPC's callbacks still report OK and leave the message empty.
template <typename Message>
struct Received {
  Message message;
  bool is_broken = false;
};

// Returns INTERNAL if a message is broken, else `status`.
grpc::Status StatusWith(bool is_broken, const grpc::Status& status);

// A unary method.
struct Method {
  const char* path = nullptr;
  bool is_question = false;  // also sent to servers that are not serving; see Link
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
