// A lexical shortlist, as Marian's students have it beside the model (lex.*.s2t.bin): for every word
// of the source's vocabulary the words that a translation of it may hold. The file is Marian's
// binary one:
//
//   u64 magic, checksum, first, best, offsets, words
//   u64 [offsets]   where the list of each source word begins; the last is `words`
//   u32 [words]     the lists, each `best` words at most
//
// The checksum is over all numbers of 64 bits behind it: the words of a last half are not in it.
//
// Immutable; owns what it holds. Thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace dragoman {

// The checksum that a file of these bytes has, whatever is in its place.
uint64_t ShortlistChecksum(std::span<const uint8_t> bytes);

class LexicalShortlist {
 public:
  // Of the vocabularies that the ids are of.
  struct Vocabularies {
    int source_words = 0;
    int target_words = 0;
    bool shared = false;  // one file for both: a word of the source may be left as it is
  };

  // INVALID_ARGUMENT names `file` and what is wrong with it.
  static absl::StatusOr<LexicalShortlist> Parse(std::span<const uint8_t> bytes,
                                                std::string_view file,
                                                const Vocabularies& vocabularies);

  // What a translation of `source` may hold, ascending and without repeats: the first words of the
  // target's vocabulary, the lists of the source's words, those words themselves where the
  // vocabulary is shared, and what Marian adds to make their number a multiple of eight
  // (data/shortlist.cpp, BinaryShortlistGenerator::generate): for a batch of this sentence alone Marian
  // searches the same words. Besides them `more`, which is what a request wants.
  // REQUIRES: source is of the vocabulary; more, of what the model can produce.
  std::vector<int32_t> WordsFor(std::span<const int32_t> source,
                                std::span<const int32_t> more) const;

 private:
  LexicalShortlist(const Vocabularies& vocabularies, int64_t first)
      : vocabularies_(vocabularies), first_(first) {}

  Vocabularies vocabularies_;
  int64_t first_;  // words of the target's vocabulary, its first, that are always in
  std::vector<uint32_t> offsets_;  // [source words + 1]
  std::vector<int32_t> words_;
};

}  // namespace dragoman
