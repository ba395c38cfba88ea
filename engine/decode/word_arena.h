// Which words of a stretch of memory are taken, for memory that others write: first fit.
//
// Not thread-safe. Allocates at construction only.
#pragma once

#include <cstdint>
#include <vector>

namespace dragoman::engine {

class WordArena {
 public:
  // Words 0 .. words - 1, of which at most `blocks` blocks are taken at a time.
  WordArena(int32_t words, int32_t blocks);

  bool Fits(int32_t words) const;

  // Takes `words` words for the caller alone and returns the first; they are the lowest that are
  // free. REQUIRES: words > 0 and Fits(words).
  int32_t Take(int32_t words);

  // Returns what Take returned.
  void GiveBack(int32_t begin, int32_t words);

  int32_t used() const { return used_; }

 private:
  struct Gap {
    int32_t begin = 0;
    int32_t words = 0;
  };

  std::vector<Gap> gaps_;  // ascending, no two touch
  int32_t used_ = 0;
};

}  // namespace dragoman::engine
