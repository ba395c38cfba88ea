// Wraps a SubwordModel whose tokenizer has added tokens, which are tokens outside the model
// (token_splitter.h). Cuts the added tokens out of a text. The wrapped model cuts the text between
// them. Follows the rules of transformers' slow or fast tokenizers.
//
// In a text, which comes from a client, the name of a special token ("</s>") is ordinary text. The
// tokenizers of transformers would turn it into the token. In a prompt, which comes from the
// model's files, the name becomes the token.
//
// Thread-safety: const after construction. Units: bytes.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "engine/text/subword_model.h"
#include "engine/text/token_splitter.h"

namespace dragoman::engine {

// The kind of tokenizer in transformers whose rules apply.
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

  // The slow rules put a space before and after the text of an added token. The fast rules treat
  // the token like any other piece.
  PieceText Decode(std::span<const std::string_view> pieces, bool after_text,
                   bool is_prefix) const override;

 private:
  std::vector<SubwordToken> EncodeWith(std::string_view text, TextStart start,
                                       bool special_too) const;
  std::vector<SubwordToken> EncodeSlow(std::string_view text, TextStart start,
                                       bool special_too) const;
  std::vector<SubwordToken> EncodeFast(std::string_view text, TextStart start,
                                       bool special_too) const;

  const std::shared_ptr<const SubwordModel> model_;  // shared with its loader
  const std::vector<AddedToken> tokens_;
  const TokenizerRules rules_;
  SlowTokenSplitter slow_text_;
  SlowTokenSplitter slow_prompt_;
  FastTokenSplitter fast_;
  FastTokenSplitter fast_normalized_;
  // Tokens that Decode writes between spaces; views into tokens_.
  std::unordered_set<std::string_view> alone_;
};

}  // namespace dragoman::engine
