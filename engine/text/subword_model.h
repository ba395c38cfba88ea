// What cuts a text into the pieces of a vocabulary, and joins pieces into a text: SentencePiece's
// models, those of Hugging Face's tokenizers library, GPT-2's byte pairs; or white space.
//
// Thread-safety: all methods may run in several threads at once. Units: bytes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/text_range.h"

namespace dragoman {

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

// What is before a text that is cut.
enum class TextStart {
  kBegin,   // nothing
  kWord,    // white space
  kInside,  // the beginning of its first word, or a bracket
};

class SubwordModel {
 public:
  virtual ~SubwordModel() = default;

  // What a piece has where a space is; "" where each piece is a word.
  virtual std::string_view word_mark() const { return "\xE2\x96\x81"; }

  // REQUIRES: `text` is valid UTF-8, of less than 2^31 bytes.
  virtual std::vector<SubwordToken> Encode(std::string_view text, TextStart start) const = 0;

  // The text of the pieces, which may have spaces at its ends. A piece that the model does not know
  // stands for itself. With `after_text` they follow other text: white space at the beginning stays.
  virtual PieceText Decode(std::span<const std::string_view> pieces, bool after_text) const = 0;

  // As Decode, but only what no further pieces can change.
  virtual PieceText DecodePrefix(std::span<const std::string_view> pieces,
                                 bool after_text) const = 0;
};

}  // namespace dragoman
