#include "engine/text/spaced_tokens.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace dragoman::engine {
namespace {

constexpr std::string_view kSpaces = " \t\n\v\f\r";

}  // namespace

std::vector<SubwordToken> SpacedTokens::Encode(std::string_view text, TextStart) const {
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

PieceText SpacedTokens::Decode(std::span<const std::string_view> pieces, bool after_text) const {
  PieceText joined;
  for (const std::string_view piece : pieces) {
    const auto begin = static_cast<int64_t>(joined.text.size());
    if (begin > 0 || after_text) joined.text += ' ';
    joined.text += piece;
    joined.ranges.push_back({begin, static_cast<int64_t>(joined.text.size())});
  }
  return joined;
}

}  // namespace dragoman::engine
