#include "engine/text/partial_text.h"

#include <utility>

namespace dragoman {

bool StreamingDetokenizer::Update(std::span<const int> prefix) {
  std::string text = tokenizer_->DecodePrefix(prefix);
  if (text.size() <= text_.size()) return false;
  text_ = std::move(text);
  return true;
}

}  // namespace dragoman
