// A piece of text with more tokens than the model takes: refused, or cut at the best boundaries.
//
// Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/text/text_range.h"
#include "engine/text/tokenizer.h"

namespace dragoman::engine {

struct EncodedPiece {
  TextRange range;      // in the whole text
  EncodedText encoded;  // its ranges count from range.begin
  bool cut = false;     // a part of a piece that was too long for the model
};

// Tokens of a piece, special ones included.
using EncodeFunction = std::function<EncodedText(std::string_view piece)>;

// INVALID_ARGUMENT that says how many tokens the text has and how many the model takes.
absl::Status TooLongError(int64_t tokens, int64_t max_tokens);

// Cuts text[piece] into parts of at most max_tokens tokens each. `encoded` is encode(text[piece]).
// A cut lies, in order of preference, at the end of a sentence, after punctuation inside one (; :
// then , and dashes), at white space, at another place where a line may break, between graphemes;
// never inside a grapheme. Parts are of about even size. White space at a cut belongs to no part.
// Calls `encode` about once per part. INVALID_ARGUMENT when a single grapheme has too many tokens.
// REQUIRES: `piece` neither begins nor ends with white space.
absl::StatusOr<std::vector<EncodedPiece>> SplitTooLong(std::string_view text, TextRange piece,
                                                       EncodedText encoded, int max_tokens,
                                                       const EncodeFunction& encode);

}  // namespace dragoman::engine
