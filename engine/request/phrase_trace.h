// Where the required phrases of a segment lie in its translation: the search's own constraint state
// (kernels/search/constraints.h) run over the tokens once more, so that what it counted as met is
// found, each phrase at its place.
//
// Thread-safety: pure function. Units: tokens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/search/constraints.h"

namespace dragoman {

struct PhrasePlace {
  int32_t phrase = 0;  // of the set
  int32_t begin = 0;   // its tokens
  int32_t end = 0;

  bool operator==(const PhrasePlace&) const = default;
};

struct PhraseTrace {
  std::vector<PhrasePlace> places;  // in order, without overlap, each phrase at most once
  // Tokens before this one belong to `places` or to no phrase, whatever follows; tokens from here
  // on may still turn out to be part of a phrase.
  int32_t settled = 0;
};

// `tokens` are a whole hypothesis (EOS included where it was produced), or with `is_prefix` the
// beginning of one: the trace of a prefix is the beginning of that of the whole.
PhraseTrace TracePhrases(const ConstraintSet& set, std::span<const int32_t> tokens, bool is_prefix);

}  // namespace dragoman
