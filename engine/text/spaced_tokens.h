// A SubwordModel for text that the client has already cut into tokens separated by white space,
// which is the input of CTranslate2's translate_file and command line. Each token is looked up in
// the vocabulary as it is.
//
// Only ASCII white space separates tokens, because other spaces may be part of a vocabulary's
// pieces. Stateless and thread-safe. Units: bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/subword_model.h"

namespace dragoman::engine {

class SpacedTokens : public SubwordModel {
 public:
  // Returns no mark, because every piece is a word of its own.
  std::string_view word_mark() const override { return ""; }
  std::vector<SubwordToken> Encode(std::string_view text, TextStart) const override {
    std::vector<SubwordToken> tokens;
    size_t at = std::min(text.find_first_not_of(kSpaces), text.size());
    while (at < text.size()) {
      const size_t end = std::min(text.find_first_of(kSpaces, at), text.size());
      tokens.push_back({.piece = std::string(text.substr(at, end - at)),
                        .range = {static_cast<int64_t>(at), static_cast<int64_t>(end)}});
      at = std::min(text.find_first_not_of(kSpaces, end), text.size());
    }
    return tokens;
  }
  PieceText Decode(std::span<const std::string_view> pieces, bool after_text, bool) const override {
    PieceText joined;
    for (const std::string_view piece : pieces) {
      const auto begin = static_cast<int64_t>(joined.text.size());
      if (begin > 0 || after_text) joined.text += ' ';
      joined.text += piece;
      joined.ranges.push_back({begin, static_cast<int64_t>(joined.text.size())});
    }
    return joined;
  }

 private:
  static constexpr std::string_view kSpaces = " \t\n\v\f\r";
};

}  // namespace dragoman::engine
