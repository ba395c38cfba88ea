#include "client/call.h"

#include <grpcpp/support/client_callback.h>

#include <chrono>
#include <optional>
#include <string>

#include "client/status_map.h"

namespace dragoman::client {
namespace {

absl::Status CancelledByCaller() { return absl::CancelledError("the caller cancelled the call"); }

}  // namespace

grpc::Status StatusWith(bool is_broken, const grpc::Status& status) {
  if (!is_broken) return status;
  return {grpc::StatusCode::INTERNAL,
          "the server's answer cannot be parsed: it may be another program, or of another version"};
}

Call::Call(ClientCore* core, TranslationClient::Timeout timeout, const RetryOptions& retry)
    : in_flight_(core),
      core_(*core),
      deadline_(core_.options.clock->Now() + timeout.value_or(core_.options.timeout)),
      retry_(retry, &core_.budget, core_.NextCall(), deadline_) {}

void Call::Start() {
  const auto left = deadline_ - core_.options.clock->Now();
  if (left <= std::chrono::nanoseconds(0)) {
    return Finish(absl::DeadlineExceededError("the deadline passed before the call was sent"));
  }
  auto context = std::make_shared<grpc::ClientContext>();
  if (!Begin(context)) return Finish(CancelledByCaller());
  context_ = std::move(context);
  context_->set_deadline(std::chrono::system_clock::now() +
                         std::chrono::duration_cast<std::chrono::system_clock::duration>(left));
  // Adds the API key as metadata. gRPC's call credentials would not send it without TLS, not even
  // to the same machine.
  if (!core_.options.security.api_key.empty()) {
    context_->AddMetadata("authorization", "Bearer " + core_.options.security.api_key);
  }
  Attempt(core_.Pick());
}

void Call::Cancel() {
  std::shared_ptr<grpc::ClientContext> context;
  std::function<void()> hurry;
  {
    std::lock_guard<std::mutex> lock(mu_);
    if (std::exchange(cancelled_, true)) return;
    context = current_;
    hurry = hurry_;
  }
  // If gRPC has not started the call yet, TryCancel ends it as soon as gRPC starts it.
  if (context != nullptr) context->TryCancel();
  if (hurry) hurry();
}

void Call::Ended(const grpc::Status& grpc_status, bool received) {
  if (grpc_status.ok()) {
    core_.budget.Refill();
    return Finish(absl::OkStatus());
  }
  if (IsCancelled()) return Finish(CancelledByCaller());
  std::optional<std::string> pushback;
  const auto& trailers = context_->GetServerTrailingMetadata();
  if (const auto it = trailers.find("grpc-retry-pushback-ms"); it != trailers.end()) {
    pushback.emplace(it->second.data(), it->second.size());
  }
  absl::Status status = FromGrpc(grpc_status, std::move(pushback));
  if (!received && WasNeverTaken(grpc_status)) {
    status = absl::UnavailableError("the server shut down before it took the call");
  }
  const bool nobody = core_.NobodyIsThere(status);
  status = core_.Explain(std::move(status));
  if (nobody) return Finish(std::move(status));
  const auto delay = retry_.AfterFailure(status, core_.options.clock->Now(), received);
  if (!delay.has_value()) return Finish(std::move(status));
  const int64_t attempt = Attempts();
  auto hurry =
      core_.options.clock->RunAfter(*delay, [self = shared_from_this()] { self->Start(); });
  if (IsCancelledAfter(attempt, hurry)) hurry();
}

bool Call::Begin(std::shared_ptr<grpc::ClientContext> context) {
  std::lock_guard<std::mutex> lock(mu_);
  ++attempts_;
  hurry_ = nullptr;
  current_ = std::move(context);
  return !cancelled_;
}

bool Call::IsCancelled() {
  std::lock_guard<std::mutex> lock(mu_);
  return cancelled_;
}

int64_t Call::Attempts() {
  std::lock_guard<std::mutex> lock(mu_);
  return attempts_;
}

bool Call::IsCancelledAfter(int64_t attempt, std::function<void()> hurry) {
  std::lock_guard<std::mutex> lock(mu_);
  if (attempt != attempts_) return false;
  hurry_ = std::move(hurry);
  return cancelled_;
}

TranslationClient::CancelCall Launch(const std::shared_ptr<Call>& call) {
  call->Start();
  return [weak = std::weak_ptr<Call>(call)] {
    if (const auto running = weak.lock()) running->Cancel();
  };
}

// Reads the messages of one attempt. Deletes itself when the attempt has ended.
class StreamCall::Reader
    : public grpc::ClientBidiReactor<v1::TranslateRequest, Received<v1::StreamTranslateResponse>> {
 public:
  explicit Reader(std::shared_ptr<StreamCall> call) : call_(std::move(call)) {}
  void Begin() {
    StartWriteLast(call_->request_.get(), grpc::WriteOptions());
    StartRead(&received_);
    StartCall();
  }
  void OnReadDone(bool ok) override {
    if (!ok) {
      if (received_.is_broken) call_->context()->TryCancel();  // no further message is read
      return;
    }
    call_->received_ = true;
    if (!cancelled_ && !call_->on_message_(received_.message)) {
      cancelled_ = true;
      call_->context()->TryCancel();
    }
    StartRead(&received_);
  }
  void OnDone(const grpc::Status& status) override {
    call_->Ended(StatusWith(received_.is_broken, status), call_->received_ || cancelled_);
    delete this;
  }

 private:
  const std::shared_ptr<StreamCall> call_;
  Received<v1::StreamTranslateResponse> received_;
  bool cancelled_ = false;
};

void StreamCall::Attempt(Link& link) {
  auto* reader = new Reader(std::static_pointer_cast<StreamCall>(shared_from_this()));
  grpc::TemplatedGenericStub<v1::TranslateRequest, Received<v1::StreamTranslateResponse>> stub(
      link.channel);
  stub.PrepareBidiStreamingCall(context(), "/dragoman.v1.TranslationService/StreamTranslate",
                                grpc::StubOptions(), reader);
  reader->Begin();
}

}  // namespace dragoman::client
