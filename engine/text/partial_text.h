// Text of a translation while it grows: from an increasing prefix of final ids to text that only
// ever grows at its end.
//
// Thread-safety: one thread at a time per object. Borrows the tokenizer.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/text/tokenizer.h"

namespace dragoman {

class StreamingDetokenizer {
 public:
  explicit StreamingDetokenizer(const Tokenizer* tokenizer) : tokenizer_(tokenizer) {}

  // Takes the whole prefix so far. True when it adds text. REQUIRES: `prefix` starts with the ids
  // of every earlier call.
  bool Update(std::span<const int> prefix);

  // What may be shown: a byte prefix of every later text() and of Tokenizer::Decode of all ids.
  const std::string& text() const { return text_; }

 private:
  const Tokenizer* tokenizer_;
  std::string text_;
};

}  // namespace dragoman
