// Handles a piece of text that has more tokens than the model takes: makes the error, or cuts the
// piece at the best boundaries.
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
  TextRange range;      // in the text that the pieces are cut from
  EncodedText encoded;  // its ranges are relative to range.begin
  bool cut = false;     // whether this is a part of a piece that was too long
};

// Returns the tokens of a piece, special tokens included.
using EncodeFunction = std::function<EncodedText(std::string_view piece)>;

// Returns INVALID_ARGUMENT that says how many tokens the text has and how many the model takes.
absl::Status TooLongError(int64_t tokens, int64_t max_tokens);

// Cuts text[piece] into parts of at most max_tokens tokens each. `encoded` is encode(text[piece]).
// Prefers to cut at the end of a sentence, then after ; or :, then after a comma or dash, then at
// white space, then at another place where a line may break, then between graphemes. Never cuts
// inside a grapheme. The parts have about the same size. White space at a cut belongs to no part.
// Usually calls `encode` once per part. Returns INVALID_ARGUMENT if a single grapheme has too many
// tokens or max_tokens leaves no room for text, INTERNAL if ICU fails. REQUIRES: `piece` neither
// begins nor ends with white space.
absl::StatusOr<std::vector<EncodedPiece>> SplitTooLong(std::string_view text, TextRange piece,
                                                       EncodedText encoded, int max_tokens,
                                                       const EncodeFunction& encode);

}  // namespace dragoman::engine
