#include "server/unary_call.h"

#include <utility>

#include "server/grpc_bytes.h"

namespace dragoman {

grpc::ServerUnaryReactor* UnaryCall::Start(const ServiceContext* service,
                                           grpc::CallbackServerContext* rpc,
                                           const grpc::ByteBuffer& request,
                                           grpc::ByteBuffer* response) {
  std::shared_ptr<UnaryCall> call(new UnaryCall(service, rpc, response));
  call->self_ = call;
  call->Begin(request);
  return call.get();
}

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
  if (!SerializeBytes(message_, response_)) {
    result = absl::InternalError("the response could not be serialised");
  }
  sent_at_ = service().clock->Now();
  Finish(Conclude(std::move(result)));
}

void UnaryCall::End(absl::Status status) {
  if (ended_.exchange(true)) return;
  sent_at_ = service().clock->Now();
  Finish(Conclude(std::move(status)));
}

void UnaryCall::OnDone() {
  service().metrics->OnSent(service().clock->Now() - sent_at_);
  const std::shared_ptr<UnaryCall> last = std::move(self_);
}

}  // namespace dragoman
