// A model that cuts a text into the pieces of a vocabulary, and joins pieces into a text:
// SentencePiece's, those of Hugging Face's tokenizers library, GPT-2's byte pairs; or white space.
//
// Thread-safety: all methods may run in several threads at once. Units: bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/normalized_text.h"
#include "engine/text/text_range.h"

namespace dragoman::engine {

struct SubwordToken {
  std::string piece;  // "" for what no piece stands for, where the model itself says so
  // The bytes of the text that the piece comes from, before normalisation.
  TextRange range;
};

// Text of pieces, and where each of them lies in it: in order, without overlap, white space
// included. Of the byte pieces of a character the last one has its range.
struct PieceText {
  std::string text;
  std::vector<TextRange> ranges;
};

// The context before a text that is cut.
enum class TextStart {
  kBegin,       // nothing
  kWord,        // white space
  kInside,      // the beginning of its first word, or a bracket
  kAfterToken,  // a token that was cut out of the text (added_tokens.h)
};

class SubwordModel {
 public:
  virtual ~SubwordModel() = default;

  // The mark that a piece has in place of a space; "" where each piece is a word.
  virtual std::string_view word_mark() const { return "\xE2\x96\x81"; }

  // REQUIRES: `text` is valid UTF-8, of less than 2^31 bytes.
  virtual std::vector<SubwordToken> Encode(std::string_view text, TextStart start) const = 0;

  // Cuts a prompt: the same as Encode, but names of special tokens in it are the tokens.
  virtual std::vector<SubwordToken> EncodePrompt(std::string_view prompt) const {
    return Encode(prompt, TextStart::kBegin);
  }

  // The following are the steps of Encode, between which added tokens are cut out (added_tokens.h).
  // Together they are Encode; a model without the first two has the last alone.
  //
  // Changes a text before any token is looked for ...
  virtual NormalizedText Prepare(std::string_view text, TextStart) const { return Unchanged(text); }
  // ... changes a part between tokens, before the search for tokens that are normalized themselves
  // ...
  virtual NormalizedText Normalize(std::string_view part) const { return Unchanged(part); }
  // ... and cuts a part that has been prepared and normalized. Ranges are in `part`.
  virtual std::vector<SubwordToken> Cut(std::string_view part, TextStart start) const {
    return Encode(part, start);
  }

  // The text of the pieces, which may have spaces at its ends. A piece that the model does not know
  // stands for itself. With `after_text` they follow other text: white space at the beginning
  // stays.
  virtual PieceText Decode(std::span<const std::string_view> pieces, bool after_text) const = 0;

  // The same as Decode, but only the text that no further pieces can change.
  virtual PieceText DecodePrefix(std::span<const std::string_view> pieces,
                                 bool after_text) const = 0;
};

// Moves the ranges of tokens in a changed text to the text that it was made of, by the origins of a
// NormalizedText. REQUIRES: the ranges are in its text.
inline void MapRanges(std::span<const int32_t> origin, std::vector<SubwordToken>* tokens) {
  for (SubwordToken& token : *tokens) {
    token.range = {origin[static_cast<size_t>(token.range.begin)],
                   origin[static_cast<size_t>(token.range.end)]};
  }
}

}  // namespace dragoman::engine
