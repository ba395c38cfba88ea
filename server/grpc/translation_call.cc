#include "server/grpc/translation_call.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/base/log.h"
#include "server/base/quoted.h"
#include "server/base/status_codes.h"
#include "server/base/steady_clock.h"
#include "server/call/call_id.h"
#include "server/call/request_error.h"
#include "server/grpc/grpc_bytes.h"
#include "server/grpc/status_map.h"

namespace dragoman {
namespace {

// The hint where the engine gives none.
constexpr Nanos kDefaultRetryAfter = kNanosPerSecond;

// Hands the engine's events to the call and keeps it alive for the engine.
class CallSink final : public TranslationSink {
 public:
  explicit CallSink(std::shared_ptr<TranslationCall> call) : call_(std::move(call)) {}
  void OnSegment(SegmentUpdate update) override { call_->HandleSegment(std::move(update)); }
  void OnItem(ItemResult result) override { call_->HandleItem(std::move(result)); }
  void OnDone(const absl::Status& status, const JobTimings& timings) override {
    call_->HandleJobDone(status, timings);
  }

 private:
  const std::shared_ptr<TranslationCall> call_;
};

std::string ClientMetadata(const grpc::CallbackServerContext& rpc, const char* key) {
  const auto entry = rpc.client_metadata().find(key);
  return entry == rpc.client_metadata().end()
             ? std::string()
             : std::string(entry->second.data(), entry->second.size());
}

RejectReason ReasonOf(const absl::Status& status) {
  return status.code() == absl::StatusCode::kUnimplemented ? RejectReason::kUnsupported
                                                           : RejectReason::kInvalid;
}

}  // namespace

TranslationCall::TranslationCall(const ServiceContext* service, grpc::CallbackServerContext* rpc,
                                 RpcMethod method)
    : CallReactor(service, rpc), method_(method) {}

void TranslationCall::HandleNoRequest(absl::Status status) {
  ParsedRequest none;
  ReadNames(&none);
  if (status.code() == absl::StatusCode::kInvalidArgument) {
    calls().metrics->OnRejected(RejectReason::kInvalid);
  }
  End(std::move(status));
}

void TranslationCall::HandleRequest(const grpc::ByteBuffer& request) {
  ParsedRequest parsed = ParseTranslateRequest(
      FlattenBytes(request), calls().limits,
      method_ == RpcMethod::kTranslate ? CallKind::kUnary : CallKind::kStream);
  ReadNames(&parsed);
  items_ = parsed.items;
  code_points_ = parsed.code_points;
  labels_ = std::move(parsed.labels);
  timings_ = parsed.timings;
  returns_ = parsed.job.returns;
  const absl::Status status = Admit(std::move(parsed));
  if (status.ok()) {
    ArmDeadline();
  } else {
    End(status);
  }
}

void TranslationCall::ReadNames(ParsedRequest* parsed) {
  request_id_ = parsed->job.request_id;
  if (request_id_.empty()) {
    std::string from_metadata = ClientMetadata(*rpc(), "x-request-id");
    if (IsValidRequestId(from_metadata)) {
      request_id_ = std::move(from_metadata);
    } else {
      request_id_ = NewRequestId();
      if (!from_metadata.empty() && parsed->status.ok()) {
        parsed->status = InvalidField(
            "", absl::StrCat("metadata x-request-id: found ", Quoted(from_metadata),
                             ", expected at most ", kMaxRequestIdLength, " printable characters"));
      }
    }
    parsed->job.request_id = request_id_;
  }
  trace_id_ = TraceIdOf(ClientMetadata(*rpc(), "traceparent"));
  rpc()->AddInitialMetadata("x-request-id", request_id_);
}

absl::Status TranslationCall::Admit(ParsedRequest parsed) {
  const auto reject = [this](RejectReason reason, absl::Status status) {
    calls().metrics->OnRejected(reason);
    return status;
  };
  if (!parsed.status.ok()) return reject(ReasonOf(parsed.status), parsed.status);
  if (calls().models.empty()) return absl::UnavailableError("the model is being loaded");
  engine_ = calls().models.Find(parsed.model);
  if (engine_ == nullptr) {
    return reject(RejectReason::kInvalid,
                  absl::NotFoundError(absl::StrCat("model: found ", Quoted(parsed.model),
                                                   ", expected one that ListModels names")));
  }
  model_ = engine_->info().name;
  const absl::Status fits = CheckAgainstModel(parsed, engine_->info());
  if (!fits.ok()) return reject(RejectReason::kInvalid, fits);

  parsed.job.deadline = deadline();
  parsed.job.client = ClientOfPeer(rpc()->peer());
  const Admission admission = engine_->Submit(
      std::move(parsed.job),
      std::make_shared<CallSink>(std::static_pointer_cast<TranslationCall>(shared_from_this())));
  if (!admission.status.ok()) {
    absl::Status status = admission.status;
    if (admission.retry_after > 0) status = WithRetryAfter(status, admission.retry_after);
    return reject(admission.reason, status);
  }
  MutexLock lock(&mu_);
  job_ = admission.job;
  admitted_ = true;
  return absl::OkStatus();
}

void TranslationCall::ArmDeadline() {
  // The job may have ended by now; then there is nothing to guard.
  MutexLock lock(&mu_);
  if (concluded_) return;
  deadline_timer_ = calls().timer->Arm(deadline(), [weak = weak_from_this()] {
    if (const auto call = weak.lock()) std::static_pointer_cast<TranslationCall>(call)->Expire();
  });
}

void TranslationCall::Expire() {
  CancelJob(CancelCause::kDeadline);
  End(absl::DeadlineExceededError("the deadline has passed"));
}

void TranslationCall::HandleCancel() {
  if (IsDeadline()) {
    Expire();
    return;
  }
  CancelJob(CancelCause::kClient);
  End(absl::CancelledError("the client has cancelled"));
}

void TranslationCall::CancelJob(CancelCause cause) {
  JobId job = 0;
  {
    MutexLock lock(&mu_);
    if (!admitted_ || cancel_sent_) return;
    cancel_sent_ = true;
    job = job_;
  }
  engine_->Cancel(job, cause);
}

void TranslationCall::CountItem(const ItemResult& result) {
  source_tokens_ += result.source_token_count;
  target_tokens_ += result.target_token_count;
  if (!result.status.ok()) ++failed_items_;
}

grpc::Status TranslationCall::Conclude(absl::Status status) {
  DeadlineTimer::Id timer = DeadlineTimer::kNone;
  {
    MutexLock lock(&mu_);
    concluded_ = true;
    timer = std::exchange(deadline_timer_, DeadlineTimer::kNone);
  }
  if (timer != DeadlineTimer::kNone) calls().timer->Disarm(timer);

  status = WithFieldViolation(std::move(status));
  const bool retryable = status.code() == absl::StatusCode::kResourceExhausted ||
                         status.code() == absl::StatusCode::kUnavailable;
  if (retryable && !RetryAfterOf(status).has_value()) {
    status = WithRetryAfter(std::move(status), kDefaultRetryAfter);
  }
  if (const auto pushback = RetryPushbackMs(status)) {
    rpc()->AddTrailingMetadata("grpc-retry-pushback-ms", *pushback);
  }

  const Nanos duration = calls().clock->Now() - started();
  calls().metrics->OnRpc(method_, status.code(), duration, !model_.empty());
  LogFields fields = {{"request_id", request_id_},
                      {"method", RpcMethodName(method_)},
                      {"code", CodeName(status.code())},
                      {"duration_ms", static_cast<double>(duration) * 1e-6},
                      {"items", items_},
                      {"code_points", code_points_}};
  if (!trace_id_.empty()) fields["trace_id"] = trace_id_;
  if (!model_.empty()) fields["model"] = model_;
  if (status.ok()) {
    fields["source_tokens"] = source_tokens_.load();
    fields["target_tokens"] = target_tokens_.load();
  } else {
    fields["error"] = LoggableMessage(status);
  }
  if (failed_items_ > 0) fields["failed_items"] = failed_items_.load();
  if (!labels_.empty()) {
    LogFields labels = LogFields::object();
    for (const auto& [key, value] : labels_) labels[key] = value;
    fields["labels"] = std::move(labels);
  }
  Log(status.code() == absl::StatusCode::kInternal ? LogLevel::kError : LogLevel::kInfo, "call",
      fields);
  return ToGrpcStatus(status);
}

}  // namespace dragoman
