#include "server/observe/model_metrics.h"

#include <utility>

#include "server/base/steady_clock.h"

namespace dragoman::server {

using prometheus::BuildCounter;
using prometheus::BuildHistogram;

const prometheus::Histogram::BucketBoundaries kRpcBuckets = {
    .005, .01, .02, .03, .05, .075, .1, .15, .2, .3, .5, .75, 1, 1.5, 2.5, 5, 10, 30};

namespace {

const prometheus::Histogram::BucketBoundaries kStepBuckets = {
    .00025, .0005, .001, .0015, .002, .003, .005, .0075, .01, .02, .05, .1, .5};
const prometheus::Histogram::BucketBoundaries kSizeBuckets = {1,  2,   4,   8,   16,  32,
                                                              64, 128, 256, 512, 1024};
const prometheus::Histogram::BucketBoundaries kTokenBuckets = {1,  2,  4,   8,   16,  32,  48,
                                                               64, 96, 128, 192, 256, 512, 1024};

constexpr const char* kStageNames[] = {"tokenize",  "queue",  "encode",
                                       "slot_wait", "decode", "detokenize"};
constexpr const char* kCauseNames[] = {"client", "deadline", "drain", "revoked"};  // CancelCause

}  // namespace

ModelMetrics::ModelMetrics(Kind kind, std::string model) : model_(std::move(model)) {
  AddCalls(kind);
  if (kind == Kind::kModel) AddEngine();
}

void ModelMetrics::AddCalls(Kind kind) {
  const auto histogram = [this](const char* name, const char* help) {
    return &BuildHistogram().Name(name).Help(help).Register(registry_);
  };
  rpc_duration_ = histogram("dragoman_rpc_duration_seconds", "Duration of calls.");
  first_result_ =
      histogram("dragoman_first_result_seconds",
                "Streaming calls: time from the start of the call to its first message.");
  stages_ = histogram("dragoman_stage_duration_seconds", "Time that a segment spent in a stage.");
  reloads_ = &BuildCounter()
                  .Name("dragoman_model_reloads_total")
                  .Help("New versions of a model, by result.")
                  .Register(registry_);
  characters_ = &BuildCounter()
                     .Name("dragoman_source_characters_total")
                     .Help("Characters (code points) of the sources of calls that ended with OK.")
                     .Register(registry_);
  if (kind == Kind::kSeveralModels) return;
  // These series exist from the start, so that queries always find them.
  if (kind != Kind::kPivot) reloads_->Add({{"model", model_}, {"result", "failed"}});
  if (kind == Kind::kNoModel) return;
  if (kind == Kind::kModel) reloads_->Add({{"model", model_}, {"result", "ok"}});
  characters_->Add({{"model", model_}});
  for (const RpcMethod method : {RpcMethod::kTranslate, RpcMethod::kStreamTranslate}) {
    rpc_duration_->Add(CallLabels(Api::kDragoman, method), kRpcBuckets);
  }
  first_result_->Add(CallLabels(Api::kDragoman, RpcMethod::kStreamTranslate), kRpcBuckets);
}

void ModelMetrics::AddEngine() {
  const auto counter = [this](const char* name, const char* help) -> auto& {
    return BuildCounter().Name(name).Help(help).Register(registry_);
  };
  const auto histogram = [this](const char* name, const char* help) -> auto& {
    return BuildHistogram().Name(name).Help(help).Register(registry_);
  };
  const prometheus::Labels model_label = {{"model", model_}};
  auto& cancelled = counter("dragoman_cancelled_total", "Segments cancelled, by stage and cause.");
  auto& wasted = counter("dragoman_wasted_target_tokens_total",
                         "Target tokens that were decoded for segments cancelled later.");
  for (int c = 0; c < kCauses; ++c) {
    wasted_[c] = &wasted.Add({{"cause", kCauseNames[c]}, {"model", model_}});
    for (int s = 0; s < kStages; ++s) {
      cancelled_[s][c] =
          &cancelled.Add({{"stage", kStageNames[s]}, {"cause", kCauseNames[c]}, {"model", model_}});
    }
  }
  for (int s = 0; s < kStages; ++s) {
    stage_[s] = &stages_->Add({{"stage", kStageNames[s]}, {"model", model_}}, kRpcBuckets);
  }

  auto& row_steps = counter("dragoman_decode_row_steps_total",
                            "Rows summed over steps; occupancy is the busy share of their rates.");
  row_steps_busy_ = &row_steps.Add({{"state", "busy"}, {"model", model_}});
  row_steps_idle_ = &row_steps.Add({{"state", "idle"}, {"model", model_}});
  step_duration_ = &histogram("dragoman_decode_step_duration_seconds", "Duration of a decode step.")
                        .Add(model_label, kStepBuckets);
  step_beside_pass_ =
      &histogram("dragoman_decode_step_beside_encoder_seconds",
                 "Duration of those decode steps during which the encoder worked too.")
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
  encoder_real_ = &encoder.Add({{"kind", "real"}, {"model", model_}});
  encoder_padding_ = &encoder.Add({{"kind", "padding"}, {"model", model_}});
  source_tokens_ = &counter("dragoman_source_tokens_total", "Source tokens of translated segments.")
                        .Add(model_label);
  target_tokens_ = &counter("dragoman_target_tokens_total", "Target tokens of translated segments.")
                        .Add(model_label);
  searched_again_ =
      &counter("dragoman_segments_searched_again_total",
               "Searches of a segment after its first: it lacked a term, lost a sentinel of text "
               "that is not translated, or was suspicious.")
           .Add(model_label);
  suspicious_ = &counter("dragoman_suspicious_segments_total",
                         "Segments whose translation is probably wrong, by reason.");
  for (const char* reason : {"repeats", "too_long", "too_short", "copied", "wrong_script"}) {
    suspicious_->Add({{"model", model_}, {"reason", reason}});
  }
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
}

prometheus::Labels ModelMetrics::CallLabels(Api api, RpcMethod method) const {
  return {{"api", ApiName(api)}, {"method", RpcMethodName(method)}, {"model", model_}};
}

void ModelMetrics::OnRpc(Api api, RpcMethod method, engine::Nanos duration) {
  rpc_duration_->Add(CallLabels(api, method), kRpcBuckets).Observe(ToSeconds(duration));
}

void ModelMetrics::OnFirstResult(Api api, RpcMethod method, engine::Nanos duration) {
  first_result_->Add(CallLabels(api, method), kRpcBuckets).Observe(ToSeconds(duration));
}

void ModelMetrics::OnSent(engine::Nanos duration) {
  stages_->Add({{"stage", "send"}, {"model", model_}}, kRpcBuckets).Observe(ToSeconds(duration));
}

void ModelMetrics::OnCharacters(int64_t code_points) {
  characters_->Add({{"model", model_}}).Increment(static_cast<double>(code_points));
}

void ModelMetrics::OnReload(bool ok) {
  reloads_->Add({{"model", model_}, {"result", ok ? "ok" : "failed"}}).Increment();
}

void ModelMetrics::OnStep(const Step& step) {
  row_steps_busy_->Increment(step.rows);
  row_steps_idle_->Increment(step.row_capacity - step.rows);
  step_duration_->Observe(ToSeconds(step.duration));
  if (step.beside_pass) step_beside_pass_->Observe(ToSeconds(step.duration));
  batch_rows_->Observe(step.rows);
  batch_segments_->Observe(step.segments);
  if (step.topped_up > 0) topup_segments_->Observe(step.topped_up);
}

void ModelMetrics::OnEncode(int segments, int64_t tokens, int64_t padding) {
  encode_segments_->Observe(segments);
  encoder_real_->Increment(static_cast<double>(tokens));
  encoder_padding_->Increment(static_cast<double>(padding));
}

void ModelMetrics::OnStage(engine::Stage stage, engine::Nanos duration) {
  stage_[static_cast<size_t>(stage)]->Observe(ToSeconds(duration));
}

void ModelMetrics::OnJobTokenized(int64_t source_tokens, int beam_size) {
  request_source_->Observe(static_cast<double>(source_tokens));
  request_beam_->Observe(beam_size);
}

void ModelMetrics::OnSegmentTranslated(int64_t source_tokens, int64_t target_tokens) {
  source_tokens_->Increment(static_cast<double>(source_tokens));
  target_tokens_->Increment(static_cast<double>(target_tokens));
}

void ModelMetrics::OnSegmentSearchedAgain() { searched_again_->Increment(); }

void ModelMetrics::OnSuspicious(std::string_view reason) {
  suspicious_->Add({{"model", model_}, {"reason", std::string(reason)}}).Increment();
}

void ModelMetrics::OnJobTranslated(int64_t target_tokens) {
  request_target_->Observe(static_cast<double>(target_tokens));
}

void ModelMetrics::OnSegmentCancelled(engine::Stage stage, engine::CancelCause cause,
                                      int64_t wasted_tokens) {
  const auto c = static_cast<size_t>(cause);
  cancelled_[static_cast<size_t>(stage)][c]->Increment();
  if (wasted_tokens > 0) wasted_[c]->Increment(static_cast<double>(wasted_tokens));
}

void ModelMetrics::OnError(const char* kind) {
  errors_->Add({{"kind", kind}, {"model", model_}}).Increment();
}

}  // namespace dragoman::server
