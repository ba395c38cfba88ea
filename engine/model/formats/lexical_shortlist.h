// Reads a lexical shortlist, which limits the tokens that the search considers for a source.
// Marian's student models have it in a file (lex.*.s2t.bin). For every word of the source's
// vocabulary, the file lists the words with which it may be translated. As in Marian, a word is a
// token of a vocabulary. The format is binary:
//
//   u64 magic, checksum, first, best, offsets, words
//   u64 [offsets]   array of `offsets` numbers: where each source word's list begins; last: `words`
//   u32 [words]     array of `words` numbers: the lists, each of at most `best` words
//
// The checksum covers the complete 64-bit units after it. If the file ends with 32 more bits, the
// checksum does not cover these.
//
// Immutable; owns its data. Thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace dragoman::engine {

// Computes the checksum that a file with these bytes must have. Ignores the checksum in the file.
uint64_t ShortlistChecksum(std::span<const uint8_t> bytes);

class LexicalShortlist {
 public:
  // The number of words in the source's and the target's vocabulary.
  struct Vocabularies {
    int source_words = 0;
    int target_words = 0;
    // Source and target have the same vocabulary, so a source word may be copied into the
    // translation.
    bool shared = false;
  };

  // Returns INVALID_ARGUMENT, which names `file` and the fault, if `bytes` are not a shortlist for
  // these vocabularies.
  static absl::StatusOr<LexicalShortlist> Parse(std::span<const uint8_t> bytes,
                                                std::string_view file,
                                                const Vocabularies& vocabularies);

  // Returns the words that a translation of `source` may contain, ascending and without repeats:
  // * the first words of the target's vocabulary, as many as the file says;
  // * the lists of the source's words, and these words themselves if the vocabulary is shared;
  // * further words, which Marian adds to make the number of words a multiple of eight
  //   (data/shortlist.cpp, BinaryShortlistGenerator::generate);
  // * `more`, the words that a request requires.
  // Without `more`, these are the words that Marian considers for a batch that has only this
  // sentence. REQUIRES: `source` has ids of the source's vocabulary, and `more` has ids that the
  // model can produce.
  std::vector<int32_t> WordsFor(std::span<const int32_t> source,
                                std::span<const int32_t> more) const;

 private:
  LexicalShortlist(const Vocabularies& vocabularies, int64_t first)
      : vocabularies_(vocabularies), first_(first) {}

  Vocabularies vocabularies_;
  // The number of first words of the target's vocabulary, which are always included.
  int64_t first_;
  std::vector<uint32_t> offsets_;  // where the list of each source word begins, and the end
  std::vector<int32_t> words_;
};

}  // namespace dragoman::engine
