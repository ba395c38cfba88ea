#include "server/call/stream_translation.h"

namespace dragoman::server {

StreamTranslation::StreamTranslation(const CallContext* context, RpcMethod method, CallHead head,
                                     StreamTransport* transport)
    : TranslationCall(context, method, std::move(head), transport),
      transport_(transport),
      writer_(std::make_shared<StreamWriter>(this, context->clock, context->timer,
                                             context->write_timeout,
                                             [this] { CancelJob(engine::CancelCause::kClient); })) {
}

void StreamTranslation::OnSegment(engine::SegmentUpdate update) {
  writer_->PutSegment(BuildSegment(std::move(update)));
}

void StreamTranslation::OnItem(engine::ItemResult result) {
  CountItem(result);
  v1::StreamTranslateResponse message;
  message.set_item(result.index);
  *message.mutable_translation() = Build(std::move(result));
  if (message.translation().has_error()) *message.mutable_error() = message.translation().error();
  writer_->Put(std::move(message));
}

void StreamTranslation::OnDone(const absl::Status& status, const engine::JobTimings& timings) {
  NoteTimings(timings);
  absl::Status result = StatusAfter(status);
  if (result.ok() && want_timings()) {
    v1::StreamTranslateResponse message;
    *message.mutable_timings() = BuildTimings(timings);
    writer_->Put(std::move(message));
  }
  writer_->Close(std::move(result));
}

void StreamTranslation::StartWrite(v1::StreamTranslateResponse message) {
  write_started_ = context().clock->Now();
  if (first_) {
    first_ = false;
    message.set_request_id(request_id());
    context()
        .metrics->Find(metrics_model())
        ->OnFirstResult(api(), method(), write_started_ - started());
  }
  transport_->StartWrite(std::move(message));
}

void StreamTranslation::OnWriteDone(bool ok) {
  if (ok) {
    NoteSent(write_started_);
  } else {
    CancelJob(engine::CancelCause::kClient);
  }
  writer_->OnWriteDone(ok);
}

}  // namespace dragoman::server
