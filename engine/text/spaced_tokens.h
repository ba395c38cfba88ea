// A SubwordModel for text that the client has already cut into tokens separated by white space,
// which is the input of CTranslate2's translate_file and command line. Each token is looked up in
// the vocabulary as it is.
//
// Only ASCII white space separates tokens, because other spaces may be part of a vocabulary's
// pieces. Stateless and thread-safe. Units: bytes.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/text/subword_model.h"

namespace dragoman::engine {

class SpacedTokens : public SubwordModel {
 public:
  // Returns no mark, because every piece is a word of its own.
  std::string_view word_mark() const override { return ""; }
  std::vector<SubwordToken> Encode(std::string_view text, TextStart) const override;
  PieceText Decode(std::span<const std::string_view> pieces, bool after_text) const override;
  PieceText DecodePrefix(std::span<const std::string_view> pieces, bool after_text) const override {
    return Decode(pieces, after_text);
  }
};

}  // namespace dragoman::engine
