// Finds added tokens in a text and cuts the text at them, by the rules of transformers' slow
// (Python) tokenizers or of the tokenizers library, which transformers' fast tokenizers use. Added
// tokens are tokens outside the subword model, such as "<mask>" or "</s>".
//
// Thread-safety: const after construction. Units: bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/text/sentencepiece/piece_trie.h"
#include "engine/text/subword_model.h"

namespace dragoman::engine {

struct AddedToken {
  std::string text;          // not empty
  bool special = false;      // matches in a prompt only; in a text, its name is ordinary text
  bool single_word = false;  // matches only between spaces (slow) or non-word characters (fast)
  bool lstrip = false;       // white space before it is not cut into pieces
  bool rstrip = false;       // white space after it is not cut into pieces
  bool normalized = false;   // fast: its normalized form is searched for in the normalized text

  bool operator==(const AddedToken&) const = default;
};

// A part of a text that was cut.
struct TextPart {
  NormalizedText text;
  int32_t token = -1;  // the index of the added token that the part is, or -1 for text
};

// Splits as transformers' slow tokenizers do (tokenization_utils.py of 4.57: Trie.split, and
// tokenize() for the parts). Like these tokenizers, it may miss a token that touches another match.
class SlowTokenSplitter {
 public:
  SlowTokenSplitter() = default;
  // With `special_too`, searches for all `tokens`, else only for those that are not special. Among
  // tokens with the same text, the last one wins.
  SlowTokenSplitter(const std::vector<AddedToken>& tokens, bool special_too);

  // Returns the parts of `text`, without empty parts.
  std::vector<TextPart> Split(const NormalizedText& text,
                              const std::vector<AddedToken>& tokens) const;

 private:
  struct Node {
    std::unordered_map<char32_t, int32_t> next;
    bool is_final = false;
  };
  // Returns the positions in bytes where the parts of `text` end, as Trie.split cuts it.
  std::vector<size_t> Ends(std::string_view text) const;

  std::vector<Node> nodes_ = {Node{}};
  std::unordered_map<std::string, int32_t> tokens_;  // maps a token's text to its index
};

// Splits as the tokenizers library does (tokenizer/added_vocabulary.rs of 0.22: find_matches). The
// leftmost match wins, and among matches at the same place the longest. If Split gets no
// `special_too`, the name of a special token stays text, but shorter tokens inside the name do not
// match.
class FastTokenSplitter {
 public:
  FastTokenSplitter() = default;
  // `texts` has pairs of a text to find and the index of its token. Among equal texts, the first
  // one counts. Ignores an empty text.
  explicit FastTokenSplitter(std::vector<std::pair<std::string, int32_t>> texts);

  bool empty() const { return trie_.empty(); }
  std::vector<TextPart> Split(const NormalizedText& text, const std::vector<AddedToken>& tokens,
                              bool special_too) const;

 private:
  PieceTrie trie_;
};

}  // namespace dragoman::engine
