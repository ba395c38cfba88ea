#include "server/grpc/unary_call.h"

#include <utility>

#include "server/grpc/grpc_bytes.h"

namespace dragoman {

void UnaryCall::HandleItem(ItemResult result) {
  CountItem(result);
  outcomes_.Add(result.status);
  const int index = result.index;
  while (message_.translations_size() <= index) message_.add_translations();
  *message_.mutable_translations(index) = BuildTranslation(std::move(result), returns(), model());
}

void UnaryCall::HandleJobDone(const absl::Status& status, const JobTimings& timings) {
  absl::Status result = status.ok() ? outcomes_.CallStatus() : status;
  if (!result.ok()) {
    End(std::move(result));
    return;
  }
  if (ended_.exchange(true)) return;
  message_.set_request_id(request_id());
  if (want_timings()) *message_.mutable_timings() = BuildTimings(timings);
  const bool fits = SerializeBytes(message_, &response_);
  if (!fits) result = absl::InternalError("the response could not be serialised");
  sent_at_ = calls().clock->Now();
  const grpc::Status end = Conclude(std::move(result));
  if (fits) {
    SendAndFinish(&response_, end);
  } else {
    FinishCall(end);
  }
}

void UnaryCall::End(absl::Status status) {
  if (ended_.exchange(true)) return;
  sent_at_ = calls().clock->Now();
  FinishCall(Conclude(std::move(status)));
}

void UnaryCall::HandleDone() { calls().metrics->OnSent(calls().clock->Now() - sent_at_); }

}  // namespace dragoman
