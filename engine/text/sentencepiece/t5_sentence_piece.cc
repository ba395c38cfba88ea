#include "engine/text/sentencepiece/t5_sentence_piece.h"

#include <algorithm>
#include <utility>

#include "engine/text/subword_model.h"

namespace dragoman::engine {

T5SentencePiece::T5SentencePiece(std::shared_ptr<const SentencePiece> model, std::string unk_piece,
                                 bool add_prefix_space)
    : model_(std::move(model)),
      unk_piece_(std::move(unk_piece)),
      add_prefix_space_(add_prefix_space) {
  unk_tokens_ = model_->Encode(unk_piece_, TextStart::kInside).size();
}

NormalizedText T5SentencePiece::Prepare(std::string_view text, TextStart start) const {
  NormalizedText prepared;
  const auto append = [&](std::string_view bytes, size_t at) {
    prepared.text += bytes;
    prepared.origin.insert(prepared.origin.end(), bytes.size(), static_cast<int32_t>(at));
  };
  // With kWord, a space is added instead of a mark.
  if (start == TextStart::kWord && !text.empty()) append(" ", 0);
  if (start == TextStart::kBegin && add_prefix_space_ && !text.empty()) append(kSpaceMark, 0);
  for (size_t at = 0; at < text.size();) {
    const bool is_mark = text.substr(at).starts_with(kSpaceMark);
    append(is_mark ? " " : text.substr(at, 1), at);
    at += is_mark ? kSpaceMark.size() : 1;
  }
  prepared.origin.push_back(static_cast<int32_t>(text.size()));
  return prepared;
}

std::vector<SubwordToken> T5SentencePiece::Cut(std::string_view part, TextStart) const {
  if (!part.starts_with(kSpaceMark) && !part.starts_with(' ')) {
    return model_->Encode(part, TextStart::kInside);
  }
  // SentencePiece would strip white space at the beginning. To keep it, T5Tokenizer encodes the
  // unknown token and the part together and then removes the unknown token. This code does the
  // same.
  std::vector<SubwordToken> tokens =
      model_->Encode(unk_piece_ + std::string(part), TextStart::kInside);
  if (tokens.size() >= unk_tokens_) {
    tokens.erase(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(unk_tokens_));
  }
  const auto before = static_cast<int64_t>(unk_piece_.size());
  for (SubwordToken& token : tokens) {
    token.range = {std::max<int64_t>(token.range.begin - before, 0),
                   std::max<int64_t>(token.range.end - before, 0)};
  }
  return tokens;
}

}  // namespace dragoman::engine
