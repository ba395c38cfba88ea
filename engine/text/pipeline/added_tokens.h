// A model with tokens that were added to its tokenizer: they are cut out of a text before the model
// sees it, and the model cuts the parts between them. One class for all kinds of models, by the
// rules of transformers' slow tokenizers or those of its fast ones (token_splitter.h).
//
// Names of special tokens in a text are text, where transformers takes them for the tokens; in a
// prompt, which comes from the model, they are the tokens.
//
// Thread-safety: const after construction. Units: bytes.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "engine/text/subword_model.h"
#include "engine/text/token_splitter.h"

namespace dragoman::engine {

// Which of transformers' two tokenizers is followed.
enum class TokenizerRules {
  kSlow,  // Python, around SentencePiece
  kFast,  // the tokenizers library, by tokenizer.json
};

class AddedTokenModel : public SubwordModel {
 public:
  AddedTokenModel(std::shared_ptr<const SubwordModel> model, std::vector<AddedToken> tokens,
                  TokenizerRules rules);

  std::string_view word_mark() const override { return model_->word_mark(); }
  std::vector<SubwordToken> Encode(std::string_view text, TextStart start) const override {
    return EncodeWith(text, start, false);
  }
  std::vector<SubwordToken> EncodePrompt(std::string_view prompt) const override {
    return EncodeWith(prompt, TextStart::kBegin, true);
  }

  // Slow: an added token stands alone, with spaces around it. Fast: as a piece of the model.
  PieceText Decode(std::span<const std::string_view> pieces, bool after_text) const override {
    return Join(pieces, after_text, false);
  }
  PieceText DecodePrefix(std::span<const std::string_view> pieces, bool after_text) const override {
    return Join(pieces, after_text, true);
  }

 private:
  std::vector<SubwordToken> EncodeWith(std::string_view text, TextStart start,
                                       bool special_too) const;
  std::vector<SubwordToken> EncodeSlow(std::string_view text, TextStart start,
                                       bool special_too) const;
  std::vector<SubwordToken> EncodeFast(std::string_view text, TextStart start,
                                       bool special_too) const;
  PieceText Join(std::span<const std::string_view> pieces, bool after_text, bool is_prefix) const;

  const std::shared_ptr<const SubwordModel> model_;  // shared with its loader
  const std::vector<AddedToken> tokens_;
  const TokenizerRules rules_;
  SlowTokenSplitter slow_text_;
  SlowTokenSplitter slow_prompt_;
  FastTokenSplitter fast_;
  FastTokenSplitter fast_normalized_;
  std::unordered_set<std::string_view> alone_;  // what Decode writes alone: views into tokens_
};

}  // namespace dragoman::engine
