#include "server/observe/otlp_exporter.h"

#include <algorithm>
#include <iterator>
#include <variant>

#include "engine/base/thread_name.h"
#include "engine/base/utf8.h"
#include "server/base/hex.h"
#include "server/base/log.h"
#include "server/base/version.h"

namespace dragoman::server {
namespace {

using opentelemetry::proto::common::v1::AnyValue;
using opentelemetry::proto::common::v1::KeyValue;
using OtlpSpan = opentelemetry::proto::trace::v1::Span;
using OtlpStatus = opentelemetry::proto::trace::v1::Status;

// A protobuf string must be UTF-8, because the reader refuses the whole request otherwise. So other
// text is sent as bytes.
void SetOtlpText(const std::string& text, AnyValue* to) {
  if (engine::FirstInvalidUtf8(text).has_value()) {
    to->set_bytes_value(text);
  } else {
    to->set_string_value(text);
  }
}

void SetOtlpSpan(const Span& span, engine::Nanos wall_offset, OtlpSpan* to) {
  to->set_trace_id(BytesOfHex(span.trace_id));
  to->set_span_id(BytesOfHex(span.span_id));
  to->set_parent_span_id(BytesOfHex(span.parent_id));
  to->set_name(span.name);
  to->set_kind(span.of_server ? OtlpSpan::SPAN_KIND_SERVER : OtlpSpan::SPAN_KIND_INTERNAL);
  to->set_start_time_unix_nano(static_cast<uint64_t>(span.start + wall_offset));
  to->set_end_time_unix_nano(static_cast<uint64_t>(span.end + wall_offset));
  for (const auto& [key, value] : span.attributes) {
    KeyValue* const attribute = to->add_attributes();
    attribute->set_key(key);
    if (const auto* number = std::get_if<int64_t>(&value)) {
      attribute->mutable_value()->set_int_value(*number);
    } else {
      SetOtlpText(std::get<std::string>(value), attribute->mutable_value());
    }
  }
  if (span.failed) to->mutable_status()->set_code(OtlpStatus::STATUS_CODE_ERROR);
}

}  // namespace

OtlpRequest ToOtlp(const std::vector<Span>& spans, const ProcessAttributes& attributes,
                   engine::Nanos wall_offset) {
  OtlpRequest out;
  auto* const resource = out.add_resource_spans();
  for (const auto& [key, value] : attributes) {
    KeyValue* const attribute = resource->mutable_resource()->add_attributes();
    attribute->set_key(key);
    SetOtlpText(value, attribute->mutable_value());
  }
  auto* const scope = resource->add_scope_spans();
  scope->mutable_scope()->set_name("dragomand");
  scope->mutable_scope()->set_version(kVersion);
  for (const Span& span : spans) SetOtlpSpan(span, wall_offset, scope->add_spans());
  return out;
}

OtlpExporter::OtlpExporter(ProcessAttributes attributes, std::unique_ptr<OtlpChannel> channel,
                           const engine::Clock* clock, OtlpOptions options)
    : attributes_(std::move(attributes)),
      channel_(std::move(channel)),
      clock_(clock),
      options_(options),
      thread_([this] {
        engine::NameThisThread("otlp");
        Run();
      }) {}

OtlpExporter::~OtlpExporter() {
  const auto end = std::chrono::steady_clock::now() + options_.last_words;
  {
    engine::MutexLock lock(&mu_);
    stop_ = true;
    changed_.NotifyAll();
    while (!ended_ && changed_.WaitUntil(&mu_, end)) {
    }
    abandoned_ = true;
  }
  channel_->Cancel();
  thread_.join();
}

void OtlpExporter::Put(std::vector<Span> spans) {
  engine::MutexLock lock(&mu_);
  if (queue_.size() + spans.size() > options_.max_queue) {
    counts_.queue_full += static_cast<int64_t>(spans.size());
    return;
  }
  const size_t before = queue_.size();
  std::move(spans.begin(), spans.end(), std::back_inserter(queue_));
  const size_t full = options_.max_batch;
  if (before == 0 || (before < full && queue_.size() >= full)) changed_.NotifyAll();
}

void OtlpExporter::Run() {
  while (true) {
    const std::vector<Span> batch = NextBatch();
    if (batch.empty()) break;
    Send(batch);
  }
  engine::MutexLock lock(&mu_);
  ended_ = true;
  changed_.NotifyAll();
}

std::vector<Span> OtlpExporter::NextBatch() {
  engine::MutexLock lock(&mu_);
  while (queue_.empty() && !stop_) changed_.Wait(&mu_);
  const auto end = std::chrono::steady_clock::now() + options_.gather;
  while (queue_.size() < options_.max_batch && !stop_ && changed_.WaitUntil(&mu_, end)) {
  }
  if (abandoned_) return {};
  wall_offset_ = std::chrono::duration_cast<std::chrono::nanoseconds>(
                     std::chrono::system_clock::now().time_since_epoch())
                     .count() -
                 clock_->Now();
  const auto count = static_cast<std::ptrdiff_t>(std::min(queue_.size(), options_.max_batch));
  std::vector<Span> batch(std::make_move_iterator(queue_.begin()),
                          std::make_move_iterator(queue_.begin() + count));
  queue_.erase(queue_.begin(), queue_.begin() + count);
  return batch;
}

void OtlpExporter::Send(const std::vector<Span>& batch) {
  const auto spans = static_cast<int64_t>(batch.size());
  const absl::StatusOr<OtlpAnswer> answer =
      channel_->Export(ToOtlp(batch, attributes_, wall_offset_));
  const int64_t lost = answer.ok() ? std::clamp<int64_t>(answer->rejected, 0, spans) : spans;
  counts_.failed += lost;
  counts_.exported += spans - lost;
  const bool taken = lost == 0;
  if (taken == reachable_) return;
  reachable_ = taken;
  if (taken) {
    Log(LogLevel::kInfo, "spans are exported again");
  } else {
    Log(LogLevel::kWarn, "spans are not exported",
        {{"spans", lost},
         {"code", absl::StatusCodeToString(answer.status().code())},
         {"error", answer.ok() ? answer->message : std::string(answer.status().message())}});
  }
}

}  // namespace dragoman::server
