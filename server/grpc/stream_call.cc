#include "server/grpc/stream_call.h"

#include <utility>

#include "server/grpc/grpc_bytes.h"

namespace dragoman {

StreamCall::StreamCall(const ServiceContext* service, grpc::CallbackServerContext* rpc)
    : TranslationCall(service, rpc, RpcMethod::kStreamTranslate),
      writer_(std::make_shared<StreamWriter>(this, calls().clock, calls().timer,
                                             calls().write_timeout,
                                             [this] { CancelJob(CancelCause::kClient); })) {}

void StreamCall::HandleSegment(SegmentUpdate update) {
  writer_->PutSegment(BuildSegment(std::move(update)));
}

void StreamCall::HandleItem(ItemResult result) {
  CountItem(result);
  outcomes_.Add(result.status);
  v1::StreamTranslateResponse message;
  message.set_item(result.index);
  *message.mutable_translation() = BuildTranslation(std::move(result), returns(), model());
  if (message.translation().has_error()) *message.mutable_error() = message.translation().error();
  writer_->Put(std::move(message));
}

void StreamCall::HandleJobDone(const absl::Status& status, const JobTimings& timings) {
  absl::Status result = status.ok() ? outcomes_.CallStatus() : status;
  if (result.ok() && want_timings()) {
    v1::StreamTranslateResponse message;
    *message.mutable_timings() = BuildTimings(timings);
    writer_->Put(std::move(message));
  }
  writer_->Close(std::move(result));
}

void StreamCall::StartWrite(v1::StreamTranslateResponse message) {
  write_started_ = calls().clock->Now();
  if (first_) {
    first_ = false;
    message.set_request_id(request_id());
    calls().metrics->OnFirstResult(RpcMethod::kStreamTranslate, write_started_ - started());
  }
  // Cannot fail: only a message above 2 GiB would, which the limits on requests exclude.
  SerializeBytes(message, &buffer_);
  RawReactor::StartWrite(&buffer_);
}

void StreamCall::Finish(const absl::Status& status) { FinishCall(Conclude(status)); }

void StreamCall::OnWriteDone(bool ok) {
  if (ok) {
    calls().metrics->OnSent(calls().clock->Now() - write_started_);
  } else {
    CancelJob(CancelCause::kClient);
  }
  writer_->OnWriteDone(ok);
}

}  // namespace dragoman
