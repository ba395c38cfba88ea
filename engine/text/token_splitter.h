// Finds added tokens in a text and cuts the text there, by the rules of transformers' slow
// tokenizers or of the tokenizers library.
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
  bool special = false;      // matches in a prompt only; a text keeps it as text
  bool single_word = false;  // matches between spaces (slow) or between non-word characters (fast)
  bool lstrip = false;       // takes the white space before it
  bool rstrip = false;       // takes the white space after it
  bool normalized = false;   // fast: matches, in normalized form, in the normalized text

  bool operator==(const AddedToken&) const = default;
};

// A part of a text that was cut.
struct TextPart {
  NormalizedText text;
  int32_t token = -1;  // the index of the token, or -1
};

// Splits as transformers' slow tokenizers do (tokenization_utils.py of 4.57: Trie.split, and
// tokenize() for the parts). Like them, it may miss a token that touches another match.
class SlowTokenSplitter {
 public:
  SlowTokenSplitter() = default;
  // Searches for all `tokens`. Without `special_too`, searches only for tokens that are not
  // special. Among tokens with the same text, the last one wins.
  SlowTokenSplitter(const std::vector<AddedToken>& tokens, bool special_too);

  // Returns the parts of `text`, without empty parts.
  std::vector<TextPart> Split(const NormalizedText& text,
                              const std::vector<AddedToken>& tokens) const;

 private:
  struct Node {
    std::unordered_map<char32_t, int32_t> next;
    bool is_final = false;
  };
  // Returns the ends of the parts, as Trie.split does.
  std::vector<size_t> Ends(std::string_view text) const;

  std::vector<Node> nodes_ = {Node{}};
  std::unordered_map<std::string, int32_t> tokens_;  // by text
};

// Splits as the tokenizers library does (tokenizer/added_vocabulary.rs of 0.22: find_matches). The
// longest of the leftmost tokens matches. Without `special_too`, a special token also matches, but
// its text stays text.
class FastTokenSplitter {
 public:
  FastTokenSplitter() = default;
  // `texts` has the texts to find and their tokens. The first of equal texts counts. Ignores "".
  explicit FastTokenSplitter(std::vector<std::pair<std::string, int32_t>> texts);

  bool empty() const { return trie_.empty(); }
  std::vector<TextPart> Split(const NormalizedText& text, const std::vector<AddedToken>& tokens,
                              bool special_too) const;

 private:
  PieceTrie trie_;
};

}  // namespace dragoman::engine
