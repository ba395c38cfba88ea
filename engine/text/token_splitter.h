// Finds added tokens in a text and cuts it there, by the rules of one of two programs.
//
// Thread-safety: const after construction. Units: bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/text/normalized_text.h"
#include "engine/text/sentencepiece/piece_trie.h"

namespace dragoman::engine {

struct AddedToken {
  std::string text;          // not empty
  bool special = false;      // in a text it is text, in a prompt the token
  bool single_word = false;  // found between spaces (slow), or where no letters touch it (fast)
  bool lstrip = false;       // takes the white space before it
  bool rstrip = false;       // ... and after it
  bool normalized = false;   // fast: found in the normalized text, as the normalized token

  bool operator==(const AddedToken&) const = default;
};

// A part that a text is cut into.
struct TextPart {
  NormalizedText text;
  int32_t token = -1;  // the index of the token, or -1
};

// Splits as transformers' slow tokenizers do (tokenization_utils.py of 4.57: Trie.split and the
// treatment of its parts in tokenize()), whatever the result: a token that touches another match
// may be missed.
class SlowTokenSplitter {
 public:
  SlowTokenSplitter() = default;
  // Looks for all `tokens`, or without `special_too` for those that are not special. Among tokens
  // of the same text the last wins.
  SlowTokenSplitter(const std::vector<AddedToken>& tokens, bool special_too);

  // The parts of the text, without empty ones.
  std::vector<TextPart> Split(const NormalizedText& text,
                              const std::vector<AddedToken>& tokens) const;

 private:
  struct Node {
    std::unordered_map<char32_t, int32_t> next;
    bool is_final = false;
  };
  // Ends of the parts, as Trie.split has them.
  std::vector<size_t> Ends(std::string_view text) const;

  std::vector<Node> nodes_ = {Node{}};
  std::unordered_map<std::string, int32_t> tokens_;  // by their texts
};

// Splits as the tokenizers library does (tokenizer/added_vocabulary.rs of 0.22: find_matches). The
// longest of the leftmost tokens matches; a special one that is not wanted matches, too, but is
// text.
class FastTokenSplitter {
 public:
  FastTokenSplitter() = default;
  // Texts to be found, and which tokens they are. Of equal texts the first counts; empty ones are
  // not looked for.
  explicit FastTokenSplitter(std::vector<std::pair<std::string, int32_t>> texts);

  bool empty() const { return trie_.empty(); }
  std::vector<TextPart> Split(const NormalizedText& text, const std::vector<AddedToken>& tokens,
                              bool special_too) const;

 private:
  PieceTrie trie_;
};

}  // namespace dragoman::engine
