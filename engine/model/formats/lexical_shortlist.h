// A lexical shortlist, a file beside Marian's student models (lex.*.s2t.bin): for every word of the
// source's vocabulary the words that a translation of it may hold. The file is in Marian's binary
// format:
//
//   u64 magic, checksum, first, best, offsets, words
//   u64 [offsets]   where the list of each source word begins; the last is `words`
//   u32 [words]     the lists, each `best` words at most
//
// The checksum covers all 64-bit numbers after it; a last 32-bit word is left out.
//
// Immutable; owns what it holds. Thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace dragoman::engine {

// The checksum that a file with these bytes must have, whatever the file says.
uint64_t ShortlistChecksum(std::span<const uint8_t> bytes);

class LexicalShortlist {
 public:
  // The sizes of the vocabularies that the ids belong to.
  struct Vocabularies {
    int source_words = 0;
    int target_words = 0;
    bool shared = false;  // one file for both: a source word may be copied to the target
  };

  // INVALID_ARGUMENT names `file` and what is wrong with it.
  static absl::StatusOr<LexicalShortlist> Parse(std::span<const uint8_t> bytes,
                                                std::string_view file,
                                                const Vocabularies& vocabularies);

  // The words that a translation of `source` may hold, ascending and without repeats: the first words of
  // the target's vocabulary, the lists of the source's words, those words themselves where the
  // vocabulary is shared, and the words that Marian adds to make their number a multiple of eight
  // (data/shortlist.cpp, BinaryShortlistGenerator::generate). For a batch of this sentence alone Marian
  // searches the same words. `more`, the words that a request names, are added to them.
  // REQUIRES: source has ids of the source's vocabulary, more has ids that the model can produce.
  std::vector<int32_t> WordsFor(std::span<const int32_t> source,
                                std::span<const int32_t> more) const;

 private:
  LexicalShortlist(const Vocabularies& vocabularies, int64_t first)
      : vocabularies_(vocabularies), first_(first) {}

  Vocabularies vocabularies_;
  int64_t first_;  // how many words, the first of the target's vocabulary, are always included
  std::vector<uint32_t> offsets_;  // [source words + 1]
  std::vector<int32_t> words_;
};

}  // namespace dragoman::engine
