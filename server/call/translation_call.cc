#include "server/call/translation_call.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/base/log.h"
#include "server/base/quoted.h"
#include "server/base/status_codes.h"
#include "server/base/steady_clock.h"
#include "server/call/call_id.h"
#include "server/call/request_error.h"
#include "server/models/model_router.h"

namespace dragoman {
namespace {

// The retry hint where the engine gives none.
constexpr Nanos kDefaultRetryAfter = kNanosPerSecond;

RejectReason ReasonOf(const absl::Status& status) {
  return status.code() == absl::StatusCode::kUnimplemented ? RejectReason::kUnsupported
                                                           : RejectReason::kInvalid;
}

// The attributes of a call's span that OpenTelemetry has names for.
CallTrace::Attributes AttributesOf(const CallHead& head, absl::StatusCode code) {
  const bool is_http = head.carrier == Carrier::kHttp;
  const size_t cut = head.route.find(is_http ? ' ' : '/');
  const std::string first = head.route.substr(0, cut);
  const std::string rest = cut == std::string::npos ? "" : head.route.substr(cut + 1);
  if (is_http) return {{"http.request.method", first}, {"http.route", rest}};
  return {{"rpc.system", "grpc"},
          {"rpc.service", first},
          {"rpc.method", rest},
          {"rpc.grpc.status_code", static_cast<int64_t>(code)}};
}

}  // namespace

TranslationCall::TranslationCall(const CallContext* context, RpcMethod method, CallHead head,
                                 CallTransport* transport)
    : ticket_(context->tracker),
      context_(context),
      method_(method),
      head_(std::move(head)),
      transport_(transport),
      trace_(context->spans, RpcMethodName(method), head_.started) {}

void TranslationCall::HandleNoRequest(absl::Status status) {
  ParsedRequest none;
  ReadNames(&none);
  if (status.code() == absl::StatusCode::kInvalidArgument) {
    context_->metrics->OnRejected(RejectReason::kInvalid);
  }
  if (status.code() == absl::StatusCode::kUnimplemented) {
    context_->metrics->OnRejected(RejectReason::kUnsupported);
  }
  if (status.code() == absl::StatusCode::kUnauthenticated) {
    context_->metrics->OnRejected(RejectReason::kDenied);
  }
  End(std::move(status));
}

void TranslationCall::HandleRequest(ParsedRequest parsed) {
  ReadNames(&parsed);
  items_ = parsed.items;
  code_points_ = parsed.code_points;
  labels_ = std::move(parsed.labels);
  timings_ = parsed.timings;
  returns_ = parsed.job.returns;
  const absl::Status status = Admit(std::move(parsed));
  if (status.ok()) {
    ArmDeadline();
    WatchKey();
  } else {
    End(status);
  }
}

void TranslationCall::ReadNames(ParsedRequest* parsed) {
  request_id_ = parsed->job.request_id;
  if (request_id_.empty()) {
    if (IsValidRequestId(head_.request_id)) {
      request_id_ = head_.request_id;
    } else {
      request_id_ = NewId();
      if (!head_.request_id.empty() && parsed->status.ok()) {
        parsed->status = InvalidField(
            "", absl::StrCat("metadata x-request-id: found ", Quoted(head_.request_id),
                             ", expected at most ", kMaxRequestIdLength, " printable characters"));
      }
    }
    parsed->job.request_id = request_id_;
  }
  trace_.Join(head_.traceparent);
  transport_->AnnounceRequestId(request_id_);
}

absl::Status TranslationCall::Admit(ParsedRequest parsed) {
  const auto reject = [this](RejectReason reason, absl::Status status) {
    context_->metrics->OnRejected(reason);
    return status;
  };
  if (!parsed.status.ok()) return reject(ReasonOf(parsed.status), parsed.status);
  if (context_->draining != nullptr && context_->draining->load()) {
    return reject(RejectReason::kDraining, absl::UnavailableError("the server is draining"));
  }
  const std::vector<ModelPtr> models = context_->models->models();
  if (models.empty()) return absl::UnavailableError("the model is being loaded");
  absl::StatusOr<Route> route =
      RouteRequest(models, parsed.model, parsed.job.source_language, parsed.job.target_language);
  if (!route.ok()) return reject(RejectReason::kInvalid, route.status());
  served_ = std::move(route->model);
  parsed.job.languages = std::move(route->languages);
  model_ = served_->name;
  Client* const client = head_.grant == nullptr ? nullptr : &head_.grant->client();
  if (client != nullptr && !client->MayUse(model_)) {
    return reject(RejectReason::kDenied, absl::PermissionDeniedError(absl::StrCat(
                                             "model: found ", Quoted(model_), ", which client ",
                                             Quoted(client->name()), " may not use")));
  }

  parsed.job.deadline = head_.deadline;
  parsed.job.client = head_.client;
  if (client != nullptr) {
    parsed.job.share = client->share();
    const Nanos wait = client->Take(code_points_, context_->clock->Now());
    if (wait > 0) {
      return reject(RejectReason::kRate,
                    WithRetryAfter(absl::ResourceExhaustedError(
                                       absl::StrCat("client ", Quoted(client->name()),
                                                    " has used up its characters per minute")),
                                   wait));
    }
  }
  parsed.job.returns.segment_times = trace_.segments_wanted();
  const Admission admission = served_->engine->Submit(std::move(parsed.job), shared_from_this());
  if (!admission.status.ok()) {
    if (client != nullptr) client->GiveBack(code_points_);
    absl::Status status = admission.status;
    if (admission.retry_after > 0) status = WithRetryAfter(status, admission.retry_after);
    return reject(admission.reason, status);
  }
  trace_.Accepted(context_->clock->Now());
  MutexLock lock(&mu_);
  job_ = admission.job;
  admitted_ = true;
  return absl::OkStatus();
}

void TranslationCall::ArmDeadline() {
  // The job may have ended by now; then there is nothing to guard.
  MutexLock lock(&mu_);
  if (concluded_) return;
  deadline_timer_ = context_->timer->Arm(head_.deadline, [weak = weak_from_this()] {
    if (const auto call = weak.lock()) call->Expire();
  });
}

void TranslationCall::Expire() {
  CancelJob(CancelCause::kDeadline);
  End(absl::DeadlineExceededError("the deadline has passed"));
}

void TranslationCall::Cancel() {
  CancelJob(CancelCause::kClient);
  End(absl::CancelledError("the client has cancelled"));
}

void TranslationCall::WatchKey() {
  if (head_.grant == nullptr) return;
  const uint64_t watch = head_.grant->OnRevoked([weak = weak_from_this()] {
    if (const auto call = weak.lock()) call->Revoke();
  });
  {
    MutexLock lock(&mu_);
    key_watch_ = watch;
    if (!concluded_) return;
  }
  head_.grant->Forget(watch);
}

void TranslationCall::Revoke() {
  // This comes first, so that the client gets the reason and not the status of the engine's job.
  End(absl::UnauthenticatedError("the API key was revoked"));
  CancelJob(CancelCause::kRevoked);
}

void TranslationCall::CancelJob(CancelCause cause) {
  JobId job = 0;
  {
    MutexLock lock(&mu_);
    if (!admitted_ || cancel_sent_) return;
    cancel_sent_ = true;
    job = job_;
  }
  served_->engine->Cancel(job, cause);
}

void TranslationCall::NoteSent(Nanos begin) {
  const Nanos now = context_->clock->Now();
  context_->metrics->OnSent(model_, now - begin);
  trace_.Sent(begin, now);
}

void TranslationCall::CountItem(const ItemResult& result) {
  source_tokens_ += result.source_token_count;
  target_tokens_ += result.target_token_count;
  if (!result.status.ok()) ++failed_items_;
  outcomes_.Add(result.status);
}

absl::Status TranslationCall::StatusAfter(const absl::Status& job) const {
  return job.ok() ? outcomes_.CallStatus() : job;
}

void TranslationCall::Conclude(absl::Status status) {
  DeadlineTimer::Id timer = DeadlineTimer::kNone;
  uint64_t key_watch = 0;
  {
    MutexLock lock(&mu_);
    concluded_ = true;
    timer = std::exchange(deadline_timer_, DeadlineTimer::kNone);
    key_watch = key_watch_;
  }
  if (key_watch != 0) head_.grant->Forget(key_watch);
  if (timer != DeadlineTimer::kNone) context_->timer->Disarm(timer);

  status = WithFieldViolation(std::move(status));
  const bool retryable = status.code() == absl::StatusCode::kResourceExhausted ||
                         status.code() == absl::StatusCode::kUnavailable;
  if (retryable && !RetryAfterOf(status).has_value()) {
    status = WithRetryAfter(std::move(status), kDefaultRetryAfter);
  }

  const Nanos now = context_->clock->Now();
  const Nanos duration = now - head_.started;
  CallTrace::Attributes attributes = AttributesOf(head_, status.code());
  attributes.insert(attributes.end(), {{"dragoman.api", ApiName(head_.api)},
                                       {"dragoman.request_id", request_id_},
                                       {"dragoman.model", model_},
                                       {"dragoman.items", items_},
                                       {"dragoman.code_points", code_points_},
                                       {"dragoman.source_tokens", source_tokens_.load()},
                                       {"dragoman.target_tokens", target_tokens_.load()}});
  trace_.Concluded(now, status.ok(), std::move(attributes));
  context_->metrics->OnRpc(head_.api, method_, status.code(), duration, model_);
  LogFields fields = {{"request_id", request_id_},
                      {"api", ApiName(head_.api)},
                      {"method", RpcMethodName(method_)},
                      {"code", CodeName(status.code())},
                      {"duration_ms", static_cast<double>(duration) * 1e-6},
                      {"items", items_},
                      {"code_points", code_points_}};
  if (!trace_.trace_id().empty()) fields["trace_id"] = trace_.trace_id();
  if (head_.grant != nullptr) fields["client"] = head_.grant->client().name();
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
  transport_->Finish(status);
}

}  // namespace dragoman
