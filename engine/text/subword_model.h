// A model that cuts a text into the pieces of a vocabulary and joins pieces into a text, such as
// SentencePiece or Hugging Face's tokenizers library.
//
// Thread-safety: all methods may run in several threads at once. Units: bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/utf8.h"
#include "engine/text/text_range.h"

namespace dragoman::engine {

// A changed text that records where each of its bytes comes from in the original text.
struct NormalizedText {
  std::string text;
  // origin[i] is the position in the original text that byte i of `text` comes from. One more entry
  // has the end of the original text.
  std::vector<int32_t> origin;
};

inline NormalizedText Unchanged(std::string_view text) {
  NormalizedText same{std::string(text), {}};
  same.origin.reserve(text.size() + 1);
  for (size_t i = 0; i <= text.size(); ++i) same.origin.push_back(static_cast<int32_t>(i));
  return same;
}

inline NormalizedText Slice(const NormalizedText& of, size_t begin, size_t end) {
  return {of.text.substr(begin, end - begin),
          {of.origin.begin() + static_cast<std::ptrdiff_t>(begin),
           of.origin.begin() + static_cast<std::ptrdiff_t>(end) + 1}};
}

// Returns the text without the characters for which `is_space` is true at its beginning (`left`)
// and at its end (`right`). REQUIRES: `of` has valid UTF-8.
template <class IsSpace>
NormalizedText Stripped(const NormalizedText& of, bool left, bool right, IsSpace is_space) {
  const std::string_view text = of.text;
  size_t begin = 0;
  while (left && begin < text.size() && is_space(CodePointAt(text, begin))) {
    NextCodePoint(text, begin);
  }
  size_t end = text.size();
  while (right && end > begin && is_space(CodePointBefore(text, end))) PreviousCodePoint(text, end);
  return Slice(of, begin, end);
}

// A piece of a text, by its id.
struct PieceSpan {
  int32_t id = 0;
  int32_t begin = 0;
  int32_t end = 0;
};

struct SubwordToken {
  std::string piece;  // "" for text that the model itself reports as unknown
  // The bytes of the text that the piece comes from, before normalization.
  TextRange range;
};

// Changes the ranges of `tokens`, which count bytes of a NormalizedText's text, into ranges of the
// original text. `origin` is NormalizedText::origin. REQUIRES: the ranges are inside
// NormalizedText::text.
inline void MapRanges(std::span<const int32_t> origin, std::vector<SubwordToken>* tokens) {
  for (SubwordToken& token : *tokens) {
    token.range = {origin[static_cast<size_t>(token.range.begin)],
                   origin[static_cast<size_t>(token.range.end)]};
  }
}

// The joined text of pieces, and the range in this text of each piece. The ranges are in order, do
// not overlap and include white space. If several byte pieces form a character, the last of them
// has the character's range and the others have empty ranges.
struct PieceText {
  std::string text;
  std::vector<TextRange> ranges;
};

// Says what precedes the text that Encode or Cut is given.
enum class TextStart {
  kBegin,       // nothing precedes the text
  kWord,        // white space precedes the text
  kInside,      // a part of the same word or a bracket precedes the text, without white space
  kAfterToken,  // an added token, which was cut out, precedes the text (added_tokens.h)
};

class SubwordModel {
 public:
  virtual ~SubwordModel() = default;

  // Returns the mark that a piece has in place of a space, or "" if pieces have no such mark.
  virtual std::string_view word_mark() const { return "\xE2\x96\x81"; }

  // Cuts `text` into pieces: prepares, normalizes and cuts it. REQUIRES: `text` is valid UTF-8 of
  // less than 2^31 bytes.
  virtual std::vector<SubwordToken> Encode(std::string_view text, TextStart start) const {
    const NormalizedText prepared = Prepare(text, start);
    const NormalizedText normal = Normalize(prepared.text);
    std::vector<SubwordToken> tokens = Cut(normal.text, start);
    MapRanges(normal.origin, &tokens);
    MapRanges(prepared.origin, &tokens);
    return tokens;
  }

  // Cuts a prompt like Encode, except that the name of a special token in the prompt ("</s>")
  // becomes this token instead of ordinary text.
  virtual std::vector<SubwordToken> EncodePrompt(std::string_view prompt) const {
    return Encode(prompt, TextStart::kBegin);
  }

  // Prepare, Normalize and Cut are the steps of Encode. AddedTokenModel calls them one by one,
  // because it cuts added tokens out of the text between the steps (added_tokens.h). A model
  // overrides Cut, or only Encode if it does not change the text in the first two steps.
  //
  // Changes a text before the first search for added tokens.
  virtual NormalizedText Prepare(std::string_view text, TextStart) const { return Unchanged(text); }
  // Changes a part between added tokens before the search for normalized added tokens.
  virtual NormalizedText Normalize(std::string_view part) const { return Unchanged(part); }
  // Cuts a part that has been prepared and normalized. The ranges are in `part`.
  virtual std::vector<SubwordToken> Cut(std::string_view part, TextStart start) const {
    return Encode(part, start);
  }

  // Returns the text of the pieces, which may have spaces at its ends. A piece that the model does
  // not know is written as it is. With `after_text`, the pieces follow other text, so white space
  // at the beginning is kept. With `is_prefix`, more pieces may follow: returns only the part of
  // the text that later pieces cannot change.
  virtual PieceText Decode(std::span<const std::string_view> pieces, bool after_text,
                           bool is_prefix) const = 0;
};

}  // namespace dragoman::engine
