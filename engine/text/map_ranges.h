// Ranges of tokens in a changed text, moved to the text that it was made of.
//
// Pure function; thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/text/subword_model.h"

namespace dragoman {

// `origin` is a NormalizedText's. REQUIRES: the ranges are in its text.
inline void MapRanges(std::span<const int32_t> origin, std::vector<SubwordToken>* tokens) {
  for (SubwordToken& token : *tokens) {
    token.range = {origin[static_cast<size_t>(token.range.begin)],
                   origin[static_cast<size_t>(token.range.end)]};
  }
}

}  // namespace dragoman
