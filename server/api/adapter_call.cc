#include "server/api/adapter_call.h"

#include "absl/strings/str_cat.h"
#include "server/api/adapter_errors.h"
#include "server/base/steady_clock.h"
#include "server/call/request_error.h"
#include "server/call/rpc_status.h"

namespace dragoman::server {
namespace {

constexpr char kRequestIdHeader[] = "X-Request-Id";

// Cuts off a client that does not read the answer within the write timeout, unless End comes first.
class SendGuard {
 public:
  SendGuard(const CallContext* context, const std::shared_ptr<HttpExchange>& exchange)
      : timer_(context->timer),
        id_(timer_->Arm(context->clock->Now() + context->write_timeout,
                        [weak = std::weak_ptr<HttpExchange>(exchange)] {
                          if (const auto slow = weak.lock()) slow->Break();
                        })) {}
  void End() const { timer_->Disarm(id_); }

 private:
  DeadlineTimer* timer_;
  DeadlineTimer::Id id_;
};

// Estimates the bytes that rendering takes: the JSON with its escapes, and the tree that is written
// as JSON.
int64_t BytesToRender(const google::protobuf::Message& answer) {
  constexpr int64_t kPerByte = 4;
  return kPerByte * static_cast<int64_t>(answer.ByteSizeLong());
}

// Cancels the call when the client closes its connection. Call after HandleRequest.
template <typename Call>
void CancelWhenGone(HttpExchange* exchange, const std::shared_ptr<Call>& call) {
  exchange->OnGone([weak = std::weak_ptr<Call>(call)] {
    if (const auto held = weak.lock()) held->Cancel();
  });
}

}  // namespace

HttpResponse AdapterError(const Adapter& adapter, const HttpRequest& request,
                          const absl::Status& status) {
  HttpResponse response = adapter.Error(request, status);
  if (const auto delay = RetryAfterOf(status)) {
    const engine::Nanos seconds = (*delay + kNanosPerSecond - 1) / kNanosPerSecond;
    response.headers.emplace_back("Retry-After", absl::StrCat(std::max<engine::Nanos>(seconds, 1)));
  }
  if (response.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

void SendAnswer(const CallContext* context, const std::shared_ptr<HttpExchange>& exchange,
                HttpResponse response, std::function<void()> sent) {
  if (response.pieces != nullptr) {
    // No SendGuard is needed, because the server has a timeout for each piece.
    exchange->Respond(std::move(response), std::move(sent));
    return;
  }
  exchange->Respond(std::move(response),
                    [guard = SendGuard(context, exchange), sent = std::move(sent)] {
                      guard.End();
                      if (sent) sent();
                    });
}

AdapterUnaryCall::AdapterUnaryCall(const CallContext* context, RpcMethod method, CallHead head,
                                   const Adapter* adapter, std::shared_ptr<HttpExchange> exchange)
    : context_(context),
      adapter_(adapter),
      exchange_(std::move(exchange)),
      call_(std::make_shared<UnaryTranslation>(context, method, std::move(head), this)) {}

void AdapterUnaryCall::Start(UnaryAction action) {
  const auto held = shared_from_this();
  self_ = held;
  render_ = std::move(action.render);
  added_bytes_ = action.added_bytes;
  call_->HandleRequest(
      ReadTranslateRequest(std::move(action.request), context_->limits, CallKind::kUnary));
  CancelWhenGone(exchange_.get(), call_);
}

void AdapterUnaryCall::Refuse(absl::Status status) {
  const auto held = shared_from_this();
  self_ = held;
  call_->HandleNoRequest(std::move(status));
}

absl::Status AdapterUnaryCall::SetAnswer(const v1::TranslateResponse& answer) {
  if (!exchange_->Reserve(BytesToRender(answer) + added_bytes_)) {
    return absl::CancelledError("the client is gone, or cut off because answers hold too much");
  }
  response_ = render_(answer);
  const absl::StatusCode code = CodeOfHttp(response_->status);
  if (code == absl::StatusCode::kOk) return absl::OkStatus();
  // The call counts as failed, because its client gets an error.
  absl::Status failed = ItemErrorOf(answer);
  return failed.ok() ? absl::Status(code, "the answer is an error") : failed;
}

void AdapterUnaryCall::Finish(const absl::Status& status) {
  HttpResponse response = response_.has_value()
                              ? *std::move(response_)
                              : AdapterError(*adapter_, exchange_->request(), status);
  response.headers.emplace_back(kRequestIdHeader, request_id_);
  const auto exchange = exchange_;
  SendAnswer(context_, exchange, std::move(response),
             [self = std::move(self_)] { self->call_->OnSent(); });
}

AdapterStreamCall::AdapterStreamCall(const CallContext* context, CallHead head,
                                     const Adapter* adapter, std::shared_ptr<HttpExchange> exchange)
    : context_(context),
      adapter_(adapter),
      exchange_(std::move(exchange)),
      call_(std::make_shared<StreamTranslation>(context, RpcMethod::kStreamTranslate,
                                                std::move(head), this)) {}

void AdapterStreamCall::Start(StreamAction action) {
  const auto held = shared_from_this();
  self_ = held;
  renderer_ = std::move(action.renderer);
  call_->HandleRequest(
      ReadTranslateRequest(std::move(action.request), context_->limits, CallKind::kStream));
  CancelWhenGone(exchange_.get(), call_);
}

void AdapterStreamCall::StartWrite(v1::StreamTranslateResponse message) {
  exchange_->Reserve(BytesToRender(message));
  std::string piece = renderer_->Message(message);
  if (piece.empty()) {
    SkipWrite();
    return;
  }
  BeginOnce();
  // Write must come last, because OnWriteDone and the end of the call may happen before Write
  // returns.
  const auto exchange = exchange_;
  exchange->Write(std::move(piece),
                  [self = shared_from_this()](bool ok) { self->call_->OnWriteDone(ok); });
}

void AdapterStreamCall::SkipWrite() {
  // Each OnWriteDone starts the next write, which may also be skipped. The loop bounds the depth of
  // the stack if many messages are skipped.
  if (skips_.fetch_add(1) > 0) return;
  const auto held = shared_from_this();
  do {
    call_->OnWriteDone(true);
  } while (skips_.fetch_sub(1) > 1);
}

void AdapterStreamCall::BeginOnce() {
  if (begun_) return;
  begun_ = true;
  HttpResponse head = renderer_->Head();
  head.headers.emplace_back(kRequestIdHeader, request_id_);
  exchange_->Begin(std::move(head));
}

void AdapterStreamCall::Finish(const absl::Status& status) {
  auto self = std::move(self_);
  if (!begun_ && !status.ok()) {
    HttpResponse response = AdapterError(*adapter_, exchange_->request(), status);
    response.headers.emplace_back(kRequestIdHeader, request_id_);
    SendAnswer(context_, exchange_, std::move(response), [self] {});
    return;
  }
  BeginOnce();
  std::string last = renderer_->End(status);
  if (last.empty()) {
    exchange_->End(!status.ok());
    return;
  }
  exchange_->Write(std::move(last), [self, guard = SendGuard(context_, exchange_)](bool /*ok*/) {
    guard.End();
    self->exchange_->End(false);
  });
}

}  // namespace dragoman::server
