#include "server/call/translation_call.h"

#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/base/log.h"
#include "server/base/quoted.h"
#include "server/base/status_codes.h"
#include "server/base/steady_clock.h"
#include "server/call/call_id.h"
#include "server/call/client_rights.h"
#include "server/call/detection.h"
#include "server/call/request_error.h"
#include "server/models/model_router.h"

namespace dragoman::server {
namespace {

// The retry hint if the engine does not give any.
constexpr engine::Nanos kDefaultRetryAfter = kNanosPerSecond;

engine::Admission Refused(engine::RejectReason reason, absl::Status status) {
  engine::Admission admission;
  admission.status = std::move(status);
  admission.reason = reason;
  return admission;
}

// Returns the attributes of a call's span whose names OpenTelemetry defines.
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
    context_->metrics->OnRejected(engine::RejectReason::kInvalid);
  }
  if (status.code() == absl::StatusCode::kUnimplemented) {
    context_->metrics->OnRejected(engine::RejectReason::kUnsupported);
  }
  if (status.code() == absl::StatusCode::kUnauthenticated) {
    context_->metrics->OnRejected(engine::RejectReason::kDenied);
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
  engine::Admission admission;
  if (!parsed.status.ok()) {
    admission = Refused(ReasonOf(parsed.status), parsed.status);
  } else if (context_->is_draining()) {
    admission =
        Refused(engine::RejectReason::kDraining, absl::UnavailableError("the server is draining"));
  } else if (absl::Status loaded = CheckLoaded(*context_); !loaded.ok()) {
    return loaded;
  } else {
    is_foreground_ = parsed.job.priority != engine::Priority::kBulk;
    if (is_foreground_) context_->tracker->NoteForeground(context_->clock->Now());
    parsed.job.deadline = head_.deadline;
    parsed.job.client = head_.client;
    if (Client* const owner = client()) parsed.job.share = owner->share();
    parsed.job.returns.segment_times = trace_.segments_wanted();
    std::vector<ModelPtr> models = VisibleModels(*context_, client());
    absl::Status allowed = CheckMayUse(client(), parsed.model, models);
    admission = !allowed.ok()          ? Refused(engine::RejectReason::kDenied, std::move(allowed))
                : parsed.detect_source ? SubmitItems(std::move(models), std::move(parsed))
                                       : SubmitWhole(models, std::move(parsed));
  }
  if (!admission.status.ok()) {
    context_->metrics->OnRejected(admission.reason);
    if (admission.retry_after == 0) return admission.status;
    return WithRetryAfter(admission.status, admission.retry_after);
  }
  trace_.Accepted(context_->clock->Now());
  engine::MutexLock lock(&mu_);
  job_ = admission.job;
  admitted_ = true;
  return absl::OkStatus();
}

engine::Admission TranslationCall::SubmitWhole(const std::vector<ModelPtr>& models,
                                               ParsedRequest parsed) {
  absl::StatusOr<Route> route =
      RouteRequest(models, parsed.model, parsed.job.source_language, parsed.job.target_language);
  if (!route.ok()) return Refused(engine::RejectReason::kInvalid, route.status());
  model_ = route->model->name;
  metrics_model_ = model_;
  absl::Status rate = TakeRate(client(), code_points_, context_->clock->Now());
  if (!rate.ok()) return Refused(engine::RejectReason::kRate, std::move(rate));
  served_ = std::move(route->model);
  parsed.job.source_language = std::move(route->languages.source);
  parsed.job.target_language = std::move(route->languages.target);
  engine::Admission admission =
      served_->engine->Translate(std::move(parsed.job), shared_from_this());
  if (!admission.status.ok() && client() != nullptr) client()->GiveBack(code_points_);
  return admission;
}

engine::Admission TranslationCall::SubmitItems(std::vector<ModelPtr> models, ParsedRequest parsed) {
  if (context_->detector == nullptr) {
    return Refused(engine::RejectReason::kUnsupported,
                   NoDetection(R"(source_language_code: found "auto")"));
  }
  // The rate limit comes before the detection of languages, so that a refused client causes no
  // work.
  absl::Status rate = TakeRate(client(), code_points_, context_->clock->Now());
  if (!rate.ok()) return Refused(engine::RejectReason::kRate, std::move(rate));
  engine::Admission admission;
  absl::StatusOr<DetectedJobs> jobs =
      DetectJobs(*context_->detector, models, parsed.model, std::move(parsed.job));
  if (jobs.ok()) {
    detected_ = std::move(jobs->items);
    model_ = absl::StrJoin(jobs->models, ",");
    metrics_model_ = jobs->models.size() > 1 ? kSeveralModels : model_;
    composite_ = std::make_shared<CompositeJob>(context_->clock, std::move(jobs->parts),
                                                std::move(jobs->done), shared_from_this());
    admission = composite_->Start();
  } else {
    admission = Refused(engine::RejectReason::kInvalid, jobs.status());
  }
  if (!admission.status.ok() && client() != nullptr) client()->GiveBack(code_points_);
  return admission;
}

void TranslationCall::ArmDeadline() {
  // No timer is needed if the job has already ended.
  engine::MutexLock lock(&mu_);
  if (concluded_) return;
  deadline_timer_ = context_->timer->Arm(head_.deadline, [weak = weak_from_this()] {
    if (const auto call = weak.lock()) call->Expire();
  });
}

void TranslationCall::Expire() {
  CancelJob(engine::CancelCause::kDeadline);
  End(absl::DeadlineExceededError("the deadline has passed"));
}

void TranslationCall::Cancel() {
  CancelJob(engine::CancelCause::kClient);
  End(absl::CancelledError("the client has cancelled"));
}

void TranslationCall::WatchKey() {
  if (head_.grant == nullptr) return;
  const uint64_t watch = head_.grant->OnRevoked([weak = weak_from_this()] {
    if (const auto call = weak.lock()) call->Revoke();
  });
  {
    engine::MutexLock lock(&mu_);
    key_watch_ = watch;
    if (!concluded_) return;
  }
  head_.grant->Forget(watch);
}

void TranslationCall::Revoke() {
  // End precedes CancelJob, so that the client gets this reason and not the status of the job.
  End(absl::UnauthenticatedError("the API key was revoked"));
  CancelJob(engine::CancelCause::kRevoked);
}

void TranslationCall::CancelJob(engine::CancelCause cause) {
  engine::JobId job = 0;
  {
    engine::MutexLock lock(&mu_);
    if (!admitted_ || cancel_sent_) return;
    cancel_sent_ = true;
    job = job_;
  }
  if (composite_ != nullptr) {
    composite_->Cancel(cause);
  } else {
    served_->engine->Cancel(job, cause);
  }
}

void TranslationCall::NoteSent(engine::Nanos begin) {
  const engine::Nanos now = context_->clock->Now();
  context_->metrics->Find(metrics_model_)->OnSent(now - begin);
  trace_.Sent(begin, now);
}

v1::Translation TranslationCall::Build(engine::ItemResult result) const {
  if (detected_.empty()) return BuildTranslation(std::move(result), returns_, model_);
  const DetectedItem& detected = detected_[static_cast<size_t>(result.index)];
  v1::Translation out = BuildTranslation(std::move(result), returns_, detected.model);
  out.set_detected_language_code(detected.language);
  out.set_detection_confidence(static_cast<float>(detected.confidence));
  return out;
}

void TranslationCall::CountItem(const engine::ItemResult& result) {
  source_tokens_ += result.source_token_count;
  target_tokens_ += result.target_token_count;
  if (!result.status.ok()) ++failed_items_;
  outcomes_.Add(result.status);
}

absl::Status TranslationCall::StatusAfter(const absl::Status& job) const {
  return job.ok() ? outcomes_.CallStatus() : job;
}

LogText TranslationCall::FieldsOfCall(const absl::Status& status, engine::Nanos duration) const {
  LogText fields;
  fields.Add("request_id", request_id_);
  fields.Add("api", ApiName(head_.api));
  fields.Add("method", RpcMethodName(method_));
  fields.Add("code", CodeName(status.code()));
  fields.Add("duration_ms", static_cast<double>(duration) * 1e-6);
  fields.Add("items", items_);
  fields.Add("code_points", code_points_);
  if (!trace_.trace_id().empty()) fields.Add("trace_id", trace_.trace_id());
  if (head_.grant != nullptr) fields.Add("client", head_.grant->client().name());
  if (!model_.empty()) fields.Add("model", model_);
  if (status.ok()) {
    fields.Add("source_tokens", source_tokens_.load());
    fields.Add("target_tokens", target_tokens_.load());
  } else {
    fields.Add("error", LoggableMessage(status));
  }
  if (failed_items_ > 0) fields.Add("failed_items", failed_items_.load());
  if (!labels_.empty()) {
    LogFields labels = LogFields::object();
    for (const auto& [key, value] : labels_) labels[key] = value;
    fields.Add("labels", labels);
  }
  return fields;
}

void TranslationCall::Conclude(absl::Status status) {
  DeadlineTimer::Id timer = DeadlineTimer::kNone;
  uint64_t key_watch = 0;
  {
    engine::MutexLock lock(&mu_);
    concluded_ = true;
    timer = std::exchange(deadline_timer_, DeadlineTimer::kNone);
    key_watch = key_watch_;
  }
  if (is_foreground_) context_->tracker->NoteForeground(context_->clock->Now());
  if (key_watch != 0) head_.grant->Forget(key_watch);
  if (timer != DeadlineTimer::kNone) context_->timer->Disarm(timer);

  status = WithFieldViolation(std::move(status));
  const bool retryable = status.code() == absl::StatusCode::kResourceExhausted ||
                         status.code() == absl::StatusCode::kUnavailable;
  if (retryable && !RetryAfterOf(status).has_value()) {
    status = WithRetryAfter(std::move(status), kDefaultRetryAfter);
  }

  const engine::Nanos now = context_->clock->Now();
  const engine::Nanos duration = now - head_.started;
  CallTrace::Attributes attributes;
  if (trace_.recording()) {
    attributes = AttributesOf(head_, status.code());
    attributes.insert(attributes.end(), {{"dragoman.api", ApiName(head_.api)},
                                         {"dragoman.request_id", request_id_},
                                         {"dragoman.model", model_},
                                         {"dragoman.items", items_},
                                         {"dragoman.code_points", code_points_},
                                         {"dragoman.source_tokens", source_tokens_.load()},
                                         {"dragoman.target_tokens", target_tokens_.load()}});
  }
  trace_.Concluded(now, status.ok(), std::move(attributes));
  context_->metrics->OnRpc(head_.api, method_, status.code(), duration, metrics_model_);
  if (status.ok()) {
    CountTranslated(*context_, client(), code_points_);
    context_->metrics->Find(metrics_model_)->OnCharacters(code_points_);
  }
  // A part of a job is not a client's call.
  const LogLevel level = status.code() == absl::StatusCode::kInternal ? LogLevel::kError
                         : method_ == RpcMethod::kRunJob              ? LogLevel::kDebug
                                                                      : LogLevel::kInfo;
  if (IsLogged(level)) Log(level, "call", FieldsOfCall(status, duration));
  transport_->Finish(status);
}

}  // namespace dragoman::server
