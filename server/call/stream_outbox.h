// The messages that a stream still has to send: bounded by the request, however slow its reader is.
//
// Holds at most one message per segment that is under way: a newer partial takes the place of an
// older one that was not sent yet, and a final takes the place of its segment's partial. Finals and
// ends of items are never dropped; there are as many as the request has segments and items.
//
// Not thread-safe: its stream guards it.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <utility>

#include "dragoman/v1/translation.pb.h"

namespace dragoman {

class StreamOutbox {
 public:
  // A partial or final message of a segment. REQUIRES: none follows its segment's
  // final.
  void PutSegment(v1::StreamTranslateResponse message);

  // The end of an item, or of the call.
  void Put(v1::StreamTranslateResponse message);

  // The oldest message, or none.
  std::optional<v1::StreamTranslateResponse> Take();

  bool empty() const { return messages_.empty(); }
  size_t size() const { return messages_.size(); }
  void Clear();

  // Partials that a newer one replaced.
  int64_t replaced() const { return replaced_; }

 private:
  using Key = std::pair<int32_t, int32_t>;  // item, segment
  struct Entry {
    v1::StreamTranslateResponse message;
    bool partial = false;
  };

  std::list<Entry> messages_;
  std::map<Key, std::list<Entry>::iterator> partials_;  // those in messages_ by their segment
  int64_t replaced_ = 0;
};

}  // namespace dragoman
