#include "server/call/unary_translation.h"

namespace dragoman::server {

void UnaryTranslation::OnItem(engine::ItemResult result) {
  CountItem(result);
  const int index = result.index;
  while (answer_.translations_size() <= index) answer_.add_translations();
  *answer_.mutable_translations(index) = Build(std::move(result));
}

void UnaryTranslation::OnDone(const absl::Status& status, const engine::JobTimings& timings) {
  NoteTimings(timings);
  absl::Status result = StatusAfter(status);
  if (!result.ok()) {
    End(std::move(result));
    return;
  }
  if (ended_.exchange(true)) return;
  answer_.set_request_id(request_id());
  if (want_timings()) *answer_.mutable_timings() = BuildTimings(timings);
  result = transport_->SetAnswer(answer_);
  sent_at_ = context().clock->Now();
  Conclude(std::move(result));
}

void UnaryTranslation::End(absl::Status status) {
  if (ended_.exchange(true)) return;
  sent_at_ = context().clock->Now();
  Conclude(std::move(status));
}

void UnaryTranslation::OnSent() { NoteSent(sent_at_); }

}  // namespace dragoman::server
