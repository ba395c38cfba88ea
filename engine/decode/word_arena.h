// A first-fit allocator of ranges of an array. A "word" is its unit and has the size that the user
// chooses. The arena knows words only by number and does not own their memory. Not thread-safe.
// Allocates only at construction.
#pragma once

#include <cstdint>
#include <vector>

namespace dragoman::engine {

class WordArena {
 public:
  // Manages the words with the numbers 0 .. words - 1. Each call of Take takes a block. REQUIRES:
  // at most `blocks` blocks are taken at the same time.
  WordArena(int32_t words, int32_t blocks);

  bool Fits(int32_t words) const;

  // Takes a block of `words` adjacent words from the lowest gap that is large enough. Returns the
  // number of its first word. REQUIRES: words > 0 and Fits(words).
  int32_t Take(int32_t words);

  // Releases a block. REQUIRES: `begin` is the result of Take(words).
  void GiveBack(int32_t begin, int32_t words);

  int32_t used() const { return used_; }

 private:
  struct Gap {
    int32_t begin = 0;
    int32_t words = 0;
  };

  std::vector<Gap> gaps_;  // in ascending order; adjacent gaps are joined
  int32_t used_ = 0;
};

}  // namespace dragoman::engine
