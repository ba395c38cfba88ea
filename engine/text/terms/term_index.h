// The search structure of glossaries. Finds the longest term that matches at a place in a text and
// ends at a word boundary. Compares case-folded bytes.
//
// Thread-safety: const after construction. Units: bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "engine/text/sentencepiece/piece_trie.h"
#include "engine/text/text_range.h"

namespace dragoman::engine {

// Applies Unicode's full case folding, default (not Turkic) mappings. REQUIRES: valid UTF-8.
std::string FoldCase(std::string_view text);

// A text prepared for searches. It has the text's case folding, its characters and its word
// boundaries.
class TermText {
 public:
  // Borrows `text`. REQUIRES: `text` is valid UTF-8 of less than 1 GiB; CheckWordRules() is OK.
  explicit TermText(std::string_view text);

  // Returns INTERNAL if ICU has no data for word boundaries.
  static absl::Status CheckWordRules();

  struct Character {
    int32_t begin = 0;         // in the text
    int32_t folded_begin = 0;  // in folded()
    bool is_boundary = false;  // a word boundary precedes this character
  };

  std::string_view text() const { return text_; }
  const std::string& folded() const { return folded_; }
  // Returns the characters in order, and one more entry for the end of the text.
  std::span<const Character> characters() const { return characters_; }
  // Returns the index in characters() of the character whose folding begins at this byte of
  // folded(), or -1 if none begins there.
  int32_t CharacterAt(size_t folded_byte) const { return at_folded_[folded_byte]; }

 private:
  void MarkBoundaries();

  std::string_view text_;
  std::string folded_;
  std::vector<Character> characters_;
  std::vector<int32_t> at_folded_;
};

class TermIndex {
 public:
  struct Entry {
    std::string_view source;  // must outlive the index; differs from all other sources
    bool ignore_case = false;
  };

  TermIndex() = default;
  explicit TermIndex(std::span<const Entry> entries);

  struct Match {
    size_t entry = 0;
    int32_t end_character = 0;
  };
  // Returns the longest entry that matches from character `begin` to a word boundary at or before
  // character `limit`. Among entries that fold to the same text, prefers the entry whose source has
  // the same bytes as the text, then the first entry that ignores case. With `ignore_case`, every
  // entry ignores case. REQUIRES: `begin` is a boundary.
  std::optional<Match> LongestAt(const TermText& text, int32_t begin, int32_t limit,
                                 bool ignore_case) const;

  bool empty() const { return groups_.empty(); }

 private:
  // Entries whose sources fold to the same text: entries_[begin, end), in order of their source.
  struct Group {
    int32_t begin = 0;
    int32_t end = 0;
    int32_t first = 0;           // the smallest entry number
    int32_t first_ignoring = 0;  // the smallest entry number that ignores case; -1: none
    int32_t folded_begin = 0;    // where the folded source begins in folded_
    int32_t folded_size = 0;
  };
  struct Sorted {
    std::string_view source;
    int32_t entry = 0;
  };

  std::string_view FoldedOf(const Group& group) const;
  // Returns the entry of the group that matches `bytes`, or nullopt if none does. REQUIRES: `bytes`
  // and the group's sources have the same case folding.
  std::optional<size_t> EntryFor(const Group& group, std::string_view bytes,
                                 bool ignore_case) const;

  std::string folded_;
  std::vector<Group> groups_;
  std::vector<Sorted> entries_;
  // Maps the shortest distinct prefix of each folded source to the index of its group in groups_.
  PieceTrie trie_;
};

}  // namespace dragoman::engine
