#include "server/call/stream_outbox.h"

namespace dragoman {

void StreamOutbox::PutSegment(v1::StreamTranslateResponse message) {
  const Key key{message.item(), message.segment()};
  const bool partial = !message.final();
  const auto waiting = partials_.find(key);
  if (waiting != partials_.end()) {
    waiting->second->message = std::move(message);
    waiting->second->partial = partial;
    if (!partial) partials_.erase(waiting);
    ++replaced_;
    return;
  }
  messages_.push_back({std::move(message), partial});
  if (partial) partials_.emplace(key, std::prev(messages_.end()));
}

void StreamOutbox::Put(v1::StreamTranslateResponse message) {
  messages_.push_back({std::move(message), false});
}

std::optional<v1::StreamTranslateResponse> StreamOutbox::Take() {
  if (messages_.empty()) return std::nullopt;
  Entry entry = std::move(messages_.front());
  messages_.pop_front();
  if (entry.partial) partials_.erase({entry.message.item(), entry.message.segment()});
  return std::move(entry.message);
}

void StreamOutbox::Clear() {
  messages_.clear();
  partials_.clear();
}

}  // namespace dragoman
