#include "server/metrics/metrics.h"

#include <prometheus/text_serializer.h>

#include <chrono>
#include <iterator>
#include <sstream>
#include <vector>

#include "server/base/status_codes.h"
#include "server/base/steady_clock.h"
#include "server/base/version.h"
#include "server/metrics/engine_families.h"

namespace dragoman {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;
using prometheus::MetricFamily;

const prometheus::Histogram::BucketBoundaries kRpcBuckets = {
    .005, .01, .02, .03, .05, .075, .1, .15, .2, .3, .5, .75, 1, 1.5, 2.5, 5, 10, 30};
const prometheus::Histogram::BucketBoundaries kStepBuckets = {
    .00025, .0005, .001, .0015, .002, .003, .005, .0075, .01, .02, .05, .1, .5};
const prometheus::Histogram::BucketBoundaries kSizeBuckets = {1,  2,   4,   8,   16,  32,
                                                              64, 128, 256, 512, 1024};
const prometheus::Histogram::BucketBoundaries kTokenBuckets = {1,  2,  4,   8,   16,  32,  48,
                                                               64, 96, 128, 192, 256, 512, 1024};

// In the order of Stage, and "send" behind them.
constexpr const char* kStageNames[] = {"tokenize", "queue",      "encode", "slot_wait",
                                       "decode",   "detokenize", "send"};
constexpr const char* kCauseNames[] = {"client", "deadline", "drain"};  // CancelCause
// RejectReason; the first is never counted.
constexpr const char* kReasonNames[] = {"",        "queue_full",  "token_budget", "too_large",
                                        "invalid", "unsupported", "draining",     "deadline"};

template <typename Builder>
auto& Register(Builder builder, const char* name, const char* help,
               prometheus::Registry* registry) {
  return builder.Name(name).Help(help).Register(*registry);
}

double UnixSeconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

const char* RpcMethodName(RpcMethod method) {
  switch (method) {
    case RpcMethod::kTranslate:
      return "Translate";
    case RpcMethod::kStreamTranslate:
      return "StreamTranslate";
    case RpcMethod::kListLanguages:
      return "ListLanguages";
    case RpcMethod::kListModels:
      return "ListModels";
    case RpcMethod::kGetServerInfo:
      return "GetServerInfo";
    case RpcMethod::kUnknown:
      return "unknown";
  }
  return "unknown";
}

Metrics::Metrics(std::string model, const Clock* clock) : model_(std::move(model)), clock_(clock) {
  const auto counter = [this](const char* name, const char* help) -> auto& {
    return Register(BuildCounter(), name, help, &registry_);
  };
  const auto gauge = [this](const char* name, const char* help) -> auto& {
    return Register(BuildGauge(), name, help, &registry_);
  };
  const auto histogram = [this](const char* name, const char* help) -> auto& {
    return Register(BuildHistogram(), name, help, &registry_);
  };
  const prometheus::Labels model_label = {{"model", model_}};

  rpcs_ = &counter("dragoman_rpcs_total", "Calls that ended, by method and status code.");
  auto& rpc_duration = histogram("dragoman_rpc_duration_seconds", "Duration of calls.");
  for (int i = 0; i < kMethods; ++i) {
    const std::string method = RpcMethodName(static_cast<RpcMethod>(i));
    rpc_duration_[i][0] = &rpc_duration.Add({{"method", method}, {"model", ""}}, kRpcBuckets);
    rpc_duration_[i][1] = &rpc_duration.Add({{"method", method}, {"model", model_}}, kRpcBuckets);
  }
  first_result_ =
      &histogram("dragoman_first_result_seconds",
                 "Streaming calls: time from the start of the call to its first message.")
           .Add({{"method", "StreamTranslate"}, {"model", model_}}, kRpcBuckets);
  auto& rejected = counter("dragoman_rejected_total", "Calls that were not admitted, by reason.");
  for (int i = 1; i < kReasons; ++i) rejected_[i] = &rejected.Add({{"reason", kReasonNames[i]}});

  auto& cancelled = counter("dragoman_cancelled_total", "Segments cancelled, by stage and cause.");
  auto& wasted = counter("dragoman_wasted_target_tokens_total",
                         "Target tokens that were decoded for segments cancelled later.");
  auto& stage =
      histogram("dragoman_stage_duration_seconds", "Time that a segment spent in a stage.");
  for (int c = 0; c < kCauses; ++c) {
    wasted_[c] = &wasted.Add({{"cause", kCauseNames[c]}});
    for (int s = 0; s < kStages; ++s) {
      cancelled_[s][c] = &cancelled.Add({{"stage", kStageNames[s]}, {"cause", kCauseNames[c]}});
    }
  }
  for (int s = 0; s <= kStages; ++s) {
    stage_[s] = &stage.Add({{"stage", kStageNames[s]}}, kRpcBuckets);
  }

  auto& row_steps = counter("dragoman_decode_row_steps_total",
                            "Rows summed over steps; occupancy is the busy share of their rates.");
  row_steps_busy_ = &row_steps.Add({{"state", "busy"}});
  row_steps_idle_ = &row_steps.Add({{"state", "idle"}});
  step_duration_ = &histogram("dragoman_decode_step_duration_seconds", "Duration of a decode step.")
                        .Add(model_label, kStepBuckets);
  batch_rows_ =
      &histogram("dragoman_decode_batch_rows", "Rows of a step.").Add(model_label, kSizeBuckets);
  batch_segments_ = &histogram("dragoman_decode_batch_segments", "Segments of a step.")
                         .Add(model_label, kSizeBuckets);
  topup_segments_ =
      &histogram(
           "dragoman_topup_segments",
           "Segments that joined the batch right before a step; steps without any are not counted.")
           .Add(model_label, kSizeBuckets);
  encode_segments_ = &histogram("dragoman_encode_batch_segments", "Segments of an encoder pass.")
                          .Add(model_label, kSizeBuckets);
  auto& encoder = counter("dragoman_encoder_tokens_total", "Source tokens that were encoded.");
  encoder_real_ = &encoder.Add({{"kind", "real"}});
  encoder_padding_ = &encoder.Add({{"kind", "padding"}});
  source_tokens_ = &counter("dragoman_source_tokens_total", "Source tokens of translated segments.")
                        .Add(model_label);
  target_tokens_ = &counter("dragoman_target_tokens_total", "Target tokens of translated segments.")
                        .Add(model_label);
  request_source_ = &histogram("dragoman_request_source_tokens", "Source tokens of a request.")
                         .Add(model_label, kTokenBuckets);
  request_target_ = &histogram("dragoman_request_target_tokens", "Target tokens of a request.")
                         .Add(model_label, kTokenBuckets);
  request_beam_ = &histogram("dragoman_request_beam_size", "Beam size of a request.")
                       .Add(model_label, kSizeBuckets);
  errors_ = &counter("dragoman_engine_errors_total", "Internal failures of the engine, by kind.");
  for (const char* kind : {"nan", "encode", "decode", "worker"}) {
    errors_->Add({{"kind", kind}, {"model", model_}});
  }
  ready_ = &gauge("dragoman_ready", "1 while calls are accepted.").Add({});
  draining_ =
      &gauge("dragoman_draining", "1 from the signal to stop until the process ends.").Add({});
  load_seconds_ =
      &gauge("dragoman_model_load_seconds", "Time that loading the model took.").Add(model_label);
  counter("dragoman_model_reloads_total", "Reloads of a model, by result.")
      .Add({{"model", model_}, {"result", "ok"}});
  model_info_ = &gauge("dragoman_model_info", "Always 1; the labels describe the loaded model.");
  gauge("dragoman_build_info", "Always 1; the labels describe the running build.")
      .Add({{"version", kVersion}, {"compiler", kCompiler}})
      .Set(1);
}

void Metrics::AttachEngine(const Engine* engine, Nanos load_duration) {
  load_seconds_->Set(ToSeconds(load_duration));
  const ModelInfo& info = engine->info();
  model_info_
      ->Add({{"model", model_},
             {"family", info.family},
             {"device", info.device},
             {"compute_type", info.compute_type}})
      .Set(1);
  MutexLock lock(&mu_);
  engine_ = engine;
}

void Metrics::DetachEngine() {
  MutexLock lock(&mu_);
  engine_ = nullptr;
}

void Metrics::AttachListener(const Listener* listener) {
  MutexLock lock(&mu_);
  listener_ = listener;
}

void Metrics::AttachSpans(const SpanCounts* counts) {
  MutexLock lock(&mu_);
  spans_ = counts;
}

void Metrics::SetReady(bool ready) { ready_->Set(ready ? 1 : 0); }
void Metrics::SetDraining(bool draining) { draining_->Set(draining ? 1 : 0); }

prometheus::Counter* Metrics::RpcCounter(RpcMethod method, absl::StatusCode code) {
  MutexLock lock(&mu_);
  Counter*& held = rpc_counters_[{static_cast<int>(method), static_cast<int>(code)}];
  if (held == nullptr) {
    held = &rpcs_->Add({{"method", RpcMethodName(method)}, {"code", CodeName(code)}});
  }
  return held;
}

void Metrics::OnRpc(RpcMethod method, absl::StatusCode code, Nanos duration, bool model_known) {
  RpcCounter(method, code)->Increment();
  rpc_duration_[static_cast<size_t>(method)][model_known ? 1 : 0]->Observe(ToSeconds(duration));
}

void Metrics::OnFirstResult(RpcMethod /*method*/, Nanos duration) {
  first_result_->Observe(ToSeconds(duration));
}

void Metrics::OnRejected(RejectReason reason) {
  if (reason != RejectReason::kNone) rejected_[static_cast<size_t>(reason)]->Increment();
}

void Metrics::OnSent(Nanos duration) { stage_[kStages]->Observe(ToSeconds(duration)); }

void Metrics::OnStep(const Step& step) {
  row_steps_busy_->Increment(step.rows);
  row_steps_idle_->Increment(step.row_capacity - step.rows);
  step_duration_->Observe(ToSeconds(step.duration));
  batch_rows_->Observe(step.rows);
  batch_segments_->Observe(step.segments);
  if (step.topped_up > 0) topup_segments_->Observe(step.topped_up);
}

void Metrics::OnEncode(int segments, int64_t tokens, int64_t padding) {
  encode_segments_->Observe(segments);
  encoder_real_->Increment(static_cast<double>(tokens));
  encoder_padding_->Increment(static_cast<double>(padding));
}

void Metrics::OnStage(Stage stage, Nanos duration) {
  stage_[static_cast<size_t>(stage)]->Observe(ToSeconds(duration));
}

void Metrics::OnJobTokenized(int64_t source_tokens, int beam_size) {
  request_source_->Observe(static_cast<double>(source_tokens));
  request_beam_->Observe(beam_size);
}

void Metrics::OnSegmentTranslated(int64_t source_tokens, int64_t target_tokens) {
  source_tokens_->Increment(static_cast<double>(source_tokens));
  target_tokens_->Increment(static_cast<double>(target_tokens));
}

void Metrics::OnJobTranslated(int64_t target_tokens) {
  request_target_->Observe(static_cast<double>(target_tokens));
}

void Metrics::OnSegmentCancelled(Stage stage, CancelCause cause, int64_t wasted_tokens) {
  const auto c = static_cast<size_t>(cause);
  cancelled_[static_cast<size_t>(stage)][c]->Increment();
  if (wasted_tokens > 0) wasted_[c]->Increment(static_cast<double>(wasted_tokens));
}

void Metrics::OnError(const char* kind) {
  errors_->Add({{"kind", kind}, {"model", model_}}).Increment();
}

std::string Metrics::Scrape() const {
  std::vector<MetricFamily> families = registry_.Collect();
  const auto append = [&families](std::vector<MetricFamily> more) {
    families.insert(families.end(), std::make_move_iterator(more.begin()),
                    std::make_move_iterator(more.end()));
  };
  {
    MutexLock lock(&mu_);
    if (engine_ != nullptr) {
      append(EngineFamilies(engine_->Stats(), model_, clock_->Now(), UnixSeconds()));
    }
    if (listener_ != nullptr) {
      append(ConnectionFamilies(listener_->Stats(), listener_->max_connections()));
    }
    if (spans_ != nullptr) append({SpanFamily(*spans_)});
  }
  append(ProcessFamilies());
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, families);
  return out.str();
}

}  // namespace dragoman
