// SentencePiece as T5Tokenizer of transformers uses it if tokenizer_config.json sets `legacy` to
// false (tokenization_t5.py, 4.57). The tokenizer puts a space mark (U+2581) before a text. A part
// of the text after an added token gets no mark, although SentencePiece alone would add one.
//
// Thread-safety: const after construction. Units: bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/sentencepiece/sentence_piece.h"
#include "engine/text/subword_model.h"

namespace dragoman::engine {

class T5SentencePiece : public SubwordModel {
 public:
  // `add_prefix_space`: whether to put a space mark before a text. `unk_piece`: the tokenizer's
  // unknown token.
  T5SentencePiece(std::shared_ptr<const SentencePiece> model, std::string unk_piece,
                  bool add_prefix_space);

  NormalizedText Prepare(std::string_view text, TextStart start) const override;
  std::vector<SubwordToken> Cut(std::string_view part, TextStart start) const override;
  PieceText Decode(std::span<const std::string_view> pieces, bool after_text,
                   bool is_prefix) const override {
    return model_->Decode(pieces, after_text, is_prefix);
  }

 private:
  const std::shared_ptr<const SentencePiece> model_;  // shared with its loader
  const std::string unk_piece_;
  const bool add_prefix_space_;
  size_t unk_tokens_ = 0;  // the number of tokens that SentencePiece cuts unk_piece_ into
};

}  // namespace dragoman::engine
