// Calls of a TranslationClient: their attempts, the waits between them, and their end.
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

// One call: its attempts, one after another, and the waits between them. Kept alive by the
// callbacks of the attempt or wait that is under way, and touched by one of them at a time; only
// Cancel comes from any thread.
class Call : public std::enable_shared_from_this<Call> {
 public:
  // `retry` is borrowed.
  Call(ClientCore* core, TranslationClient::Timeout timeout, const RetryOptions& retry);
  virtual ~Call() = default;

  void Start();

  // Ends the attempt or the wait that is under way; the call then ends with CANCELLED.
  void Cancel();

 protected:
  // Sends the call on `link` with context(); calls Ended when it has.
  virtual void Attempt(Link& link) = 0;
  virtual void Finish(absl::Status status) = 0;

  // `received`: something came back, or this side has cancelled.
  void Ended(const grpc::Status& grpc_status, bool received);

  grpc::ClientContext* context() { return context_.get(); }

 private:
  // Makes `context` the one that Cancel ends. False if the call is cancelled already.
  bool Begin(std::shared_ptr<grpc::ClientContext> context);
  bool IsCancelled();
  int64_t Attempts();
  // Makes `hurry` what Cancel calls in the wait after this attempt, which may have ended already.
  // True if the call is cancelled, and the caller has to call it.
  bool IsCancelledAfter(int64_t attempt, std::function<void()> hurry);

  const ClientCore::InFlight in_flight_;  // the first, so that it ends after all else of the call
  ClientCore& core_;
  const ClientClock::TimePoint deadline_;
  RetryState retry_;
  std::shared_ptr<grpc::ClientContext> context_;  // of the attempt under way

  std::mutex mu_;
  // Guarded by mu_.
  bool cancelled_ = false;
  int64_t attempts_ = 0;
  std::shared_ptr<grpc::ClientContext> current_;  // context_, for Cancel
  std::function<void()> hurry_;                   // cuts short the latest wait
};

// Starts a call. What it returns does not keep the call alive.
TranslationClient::CancelCall Launch(const std::shared_ptr<Call>& call);

// A message that came, and whether its bytes could be parsed: gRPC's callbacks say OK of a call whose
// answer could not be, and leave the message empty.
template <typename Message>
struct Received {
  Message message;
  bool is_broken = false;
};

// INTERNAL where a message is broken, else the status.
grpc::Status StatusWith(bool is_broken, const grpc::Status& status);

// A method of one answer.
struct Method {
  const char* path = nullptr;
  bool is_question = false;  // it is asked of servers that do not serve, too: see Link
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
