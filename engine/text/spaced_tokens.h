// A model for text whose tokens are separated by white space, as CTranslate2's translate_file and
// command line take it. Each token is a piece of the vocabulary or unknown.
//
// Only ASCII white space separates tokens, because other spaces may be pieces. Stateless and
// thread-safe. Units: bytes.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/text/subword_model.h"

namespace dragoman::engine {

class SpacedTokens : public SubwordModel {
 public:
  // Every piece begins a word.
  std::string_view word_mark() const override { return ""; }
  std::vector<SubwordToken> Encode(std::string_view text, TextStart) const override;
  PieceText Decode(std::span<const std::string_view> pieces, bool after_text) const override;
  PieceText DecodePrefix(std::span<const std::string_view> pieces, bool after_text) const override {
    return Decode(pieces, after_text);
  }
};

}  // namespace dragoman::engine
