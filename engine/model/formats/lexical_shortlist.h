// A lexical shortlist, a file of Marian's student models (lex.*.s2t.bin). It lists, for every word
// of the source's vocabulary, the words that a translation of it may contain. Its format is binary:
//
//   u64 magic, checksum, first, best, offsets, words
//   u64 [offsets]   where the list of each source word begins; the last is `words`
//   u32 [words]     the lists, each of at most `best` words
//
// The checksum covers all complete 64-bit numbers after it, not a last 32-bit word.
//
// Immutable; owns its data. Thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace dragoman::engine {

// Returns the checksum that a file with these bytes must have, not the one that it states.
uint64_t ShortlistChecksum(std::span<const uint8_t> bytes);

class LexicalShortlist {
 public:
  // The sizes of the vocabularies of source and target ids.
  struct Vocabularies {
    int source_words = 0;
    int target_words = 0;
    bool shared = false;  // one vocabulary: a source word may be copied to the target
  };

  // Returns INVALID_ARGUMENT naming `file` and what is wrong with it.
  static absl::StatusOr<LexicalShortlist> Parse(std::span<const uint8_t> bytes,
                                                std::string_view file,
                                                const Vocabularies& vocabularies);

  // Returns the words that a translation of `source` may contain, ascending and without repeats:
  // * the first words of the target's vocabulary;
  // * the lists of the source's words, and these words themselves if the vocabulary is shared;
  // * the words that Marian adds to make the number a multiple of eight (data/shortlist.cpp,
  //   BinaryShortlistGenerator::generate);
  // * `more`, the words that a request requires.
  // Without `more`, Marian searches the same words for a batch of this one sentence. REQUIRES:
  // source has ids of the source's vocabulary, more has ids that the model can produce.
  std::vector<int32_t> WordsFor(std::span<const int32_t> source,
                                std::span<const int32_t> more) const;

 private:
  LexicalShortlist(const Vocabularies& vocabularies, int64_t first)
      : vocabularies_(vocabularies), first_(first) {}

  Vocabularies vocabularies_;
  int64_t first_;                  // the first words of the target's vocabulary, always included
  std::vector<uint32_t> offsets_;  // [source words + 1]
  std::vector<int32_t> words_;
};

}  // namespace dragoman::engine
