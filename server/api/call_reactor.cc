#include "server/api/call_reactor.h"

#include <grpc/support/time.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/api/status_map.h"
#include "server/base/steady_clock.h"
#include "server/call/call_id.h"
#include "server/call/request_error.h"
#include "server/transport/intake.h"

namespace dragoman::server {
namespace {

constexpr char kRequestIdKey[] = "x-request-id";

std::string ClientMetadata(const grpc::CallbackServerContext& rpc, const char* key) {
  const auto entry = rpc.client_metadata().find(key);
  return entry == rpc.client_metadata().end()
             ? std::string()
             : std::string(entry->second.data(), entry->second.size());
}

// Returns the grant of a call's key; nullptr if none is needed, UNAUTHENTICATED for an invalid key.
absl::StatusOr<std::shared_ptr<Grant>> AccessOf(const ServiceContext& service,
                                                const grpc::CallbackServerContext& rpc) {
  if (service.keys == nullptr) return nullptr;
  return service.keys->Authenticate(ClientMetadata(rpc, "authorization"));
}

}  // namespace

engine::Nanos CallDeadline(gpr_timespec deadline, gpr_timespec now, engine::Nanos started,
                           engine::Nanos longest) {
  if (gpr_time_cmp(deadline, gpr_inf_future(deadline.clock_type)) == 0) return started + longest;
  const gpr_timespec left = gpr_time_sub(deadline, now);
  // A century in seconds. Longer times count as no deadline, so that a time in nanoseconds cannot
  // overflow, even on a clock that has run for 100 years.
  constexpr int64_t kCentury = int64_t{100} * 366 * 86'400;
  if (left.tv_sec >= kCentury) return engine::kNoDeadline;
  if (left.tv_sec <= -kCentury) return started;
  return started + left.tv_sec * kNanosPerSecond + left.tv_nsec;
}

CallReactor::CallReactor(const ServiceContext* service, grpc::CallbackServerContext* rpc)
    : service_(service),
      rpc_(rpc),
      started_(service->calls->clock->Now()),
      deadline_(CallDeadline(rpc->raw_deadline(), gpr_now(rpc->raw_deadline().clock_type), started_,
                             service->calls->longest_call)),
      access_(AccessOf(*service, *rpc)) {}

RawReactor* CallReactor::Start(std::shared_ptr<CallReactor> call) {
  CallReactor* const raw = call.get();
  raw->self_ = std::move(call);
  {
    engine::MutexLock lock(&raw->mu_);
    const engine::Nanos latest =
        std::min(raw->deadline_, raw->started_ + raw->service_->receive_timeout);
    raw->timer_ = raw->calls().timer->Arm(latest, [weak = raw->weak_from_this()] {
      if (const auto late = weak.lock()) late->HandleSlow();
    });
    raw->guarded_ = raw->service_->guard->intake().Enter(
        raw->rpc_->peer(), [weak = raw->weak_from_this()](const absl::Status& status) {
          if (const auto greedy = weak.lock()) greedy->EndReading(WithFieldViolation(status));
        });
  }
  if (!raw->access_.ok()) {
    raw->EndReading(raw->access_.status());
    return raw;
  }
  raw->StartRead(&raw->request_);
  return raw;
}

bool CallReactor::StopReading(Phase next, int64_t bytes) {
  DeadlineTimer::Id timer = DeadlineTimer::kNone;
  uint64_t guarded = 0;
  {
    engine::MutexLock lock(&mu_);
    if (phase_ != Phase::kReading) return false;
    phase_ = next;
    timer = std::exchange(timer_, DeadlineTimer::kNone);
    guarded = guarded_;
  }
  calls().timer->Disarm(timer);
  // A request that is too large has also arrived completely.
  if (bytes > 0) {
    service_->guard->intake().LeaveComplete(guarded, HeaderBytes() + bytes);
  } else {
    service_->guard->intake().LeaveAborted(guarded);
  }
  return true;
}

void CallReactor::EndReading(const absl::Status& status) {
  if (StopReading(Phase::kNoRequest)) HandleNoRequest(status);
}

int64_t CallReactor::HeaderBytes() const {
  // The number of bytes of the frames and of the headers that gRPC does not show (path, authority,
  // timeout, encodings).
  constexpr int64_t kOwn = 256;
  int64_t bytes = kOwn;
  for (const auto& [key, value] : rpc_->client_metadata()) {
    bytes += static_cast<int64_t>(key.size() + value.size());
  }
  return bytes;
}

void CallReactor::OnReadDone(bool ok) {
  if (!ok && rpc_->IsCancelled()) return;  // OnCancel follows, or has been called
  const auto size = static_cast<int64_t>(request_.Length());
  const bool handle = ok && size <= service_->max_message_bytes;
  if (!StopReading(handle ? Phase::kWaiting : Phase::kNoRequest, ok ? size : 0)) return;
  if (!handle) {
    request_.Clear();
    HandleNoRequest(
        InvalidField("", ok ? absl::StrCat("the request has ", size, " bytes, expected at most ",
                                           service_->max_message_bytes)
                            : std::string("the call ended before its request was complete")));
    return;
  }
  if (calls().readers == nullptr || !RequestReaders::IsLarge(size)) return Handle();
  calls().readers->Post(access_.ok() ? access_->get() : nullptr, rpc_->peer(), size,
                        [self = shared_from_this()] { self->Handle(); });
}

void CallReactor::Handle() {
  {
    engine::MutexLock lock(&mu_);
    if (phase_ != Phase::kWaiting) return;
    phase_ = Phase::kHandling;
  }
  HandleRequest(request_);
  request_.Clear();
  {
    engine::MutexLock lock(&mu_);
    phase_ = Phase::kHandled;
    if (!cancel_waits_) return;
  }
  HandleCancel();
}

void CallReactor::OnCancel() {
  if (StopReading(Phase::kNoRequest)) {
    HandleNoRequest(CancelStatus());
    return;
  }
  bool waited = false;
  {
    engine::MutexLock lock(&mu_);
    if (phase_ == Phase::kNoRequest) return;
    cancelled_ = true;
    if (phase_ == Phase::kHandling) {
      cancel_waits_ = true;
      return;
    }
    waited = phase_ == Phase::kWaiting;
    if (waited) phase_ = Phase::kNoRequest;
  }
  if (!waited) return HandleCancel();
  request_.Clear();
  HandleNoRequest(CancelStatus());
}

void CallReactor::HandleSlow() {
  if (!StopReading(Phase::kNoRequest)) return;
  const bool deadline = calls().clock->Now() >= deadline_;
  HandleNoRequest(absl::DeadlineExceededError(
      deadline
          ? std::string("the deadline passed before the request was complete")
          : absl::StrCat("the request was not complete ",
                         service_->receive_timeout / kNanosPerSecond, " s after the call began")));
}

bool CallReactor::IsDeadline() const {
  // Some slack is needed, because the client's timer may fire before the server's: gRPC rounds
  // timeouts up by as much as 1 % on the wire.
  const engine::Nanos slack = 20 * kNanosPerMilli + (deadline_ - started_) / 100;
  return calls().clock->Now() >= deadline_ - slack;
}

absl::Status CallReactor::CancelStatus() const {
  // During a drain, a cancellation means that the connection was closed before the call was
  // processed, so another server may process it.
  if (calls().is_draining()) {
    return absl::UnavailableError("the server is stopping");
  }
  return IsDeadline() ? absl::DeadlineExceededError("the deadline has passed")
                      : absl::CancelledError("the client has cancelled");
}

CallHead CallReactor::Head(Api api, std::string route) const {
  CallHead head;
  head.api = api;
  head.route = std::move(route);
  head.started = started_;
  head.deadline = deadline_;
  if (access_.ok()) head.grant = *access_;
  head.client = ClientName(head.grant.get(), rpc_->peer());
  head.request_id = ClientMetadata(*rpc_, kRequestIdKey);
  head.traceparent = ClientMetadata(*rpc_, "traceparent");
  return head;
}

grpc::Status CallReactor::EndStatus(const absl::Status& status) {
  if (const auto pushback = RetryPushbackMs(status)) {
    rpc_->AddTrailingMetadata("grpc-retry-pushback-ms", *pushback);
  }
  return ToGrpcStatus(status);
}

void CallReactor::GuardEnd() {
  engine::MutexLock lock(&end_mu_);
  end_timer_ =
      calls().timer->Arm(calls().clock->Now() + calls().write_timeout, [weak = weak_from_this()] {
        const auto call = weak.lock();
        if (call == nullptr) return;
        engine::MutexLock end_lock(&call->end_mu_);
        if (!call->done_) call->rpc_->TryCancel();
      });
}

void CallReactor::PutRequestId() {
  if (request_id_.empty()) return;
  rpc_->AddInitialMetadata(kRequestIdKey, std::exchange(request_id_, ""));
}

void CallReactor::Send(const grpc::ByteBuffer* message) {
  PutRequestId();
  StartWrite(message);
}

void CallReactor::SendAndFinish(grpc::ByteBuffer* response, const grpc::Status& status) {
  PutRequestId();
  GuardEnd();
  StartWriteAndFinish(response, grpc::WriteOptions(), status);
}

void CallReactor::FinishCall(const grpc::Status& status) {
  if (status.ok()) {
    PutRequestId();
  } else if (!request_id_.empty()) {
    rpc_->AddTrailingMetadata(kRequestIdKey, request_id_);
  }
  GuardEnd();
  Finish(status);
}

void CallReactor::OnDone() {
  DeadlineTimer::Id timer = DeadlineTimer::kNone;
  {
    engine::MutexLock lock(&end_mu_);
    done_ = true;
    timer = std::exchange(end_timer_, DeadlineTimer::kNone);
  }
  calls().timer->Disarm(timer);
  HandleDone();
  {
    engine::MutexLock lock(&mu_);
    service_->guard->intake().Done(guarded_, cancelled_);
  }
  const std::shared_ptr<CallReactor> last = std::move(self_);
}

}  // namespace dragoman::server
