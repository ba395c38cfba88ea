#include "engine/decode/word_arena.h"

#include <algorithm>

namespace dragoman::engine {

WordArena::WordArena(int32_t words, int32_t blocks) {
  gaps_.reserve(static_cast<size_t>(blocks) + 1);
  if (words > 0) gaps_.push_back({0, words});
}

bool WordArena::Fits(int32_t words) const {
  return std::any_of(gaps_.begin(), gaps_.end(),
                     [words](const Gap& gap) { return gap.words >= words; });
}

int32_t WordArena::Take(int32_t words) {
  const auto gap =
      std::find_if(gaps_.begin(), gaps_.end(), [words](const Gap& g) { return g.words >= words; });
  const int32_t begin = gap->begin;
  gap->begin += words;
  gap->words -= words;
  if (gap->words == 0) gaps_.erase(gap);
  used_ += words;
  return begin;
}

void WordArena::GiveBack(int32_t begin, int32_t words) {
  const auto after =
      std::find_if(gaps_.begin(), gaps_.end(), [begin](const Gap& g) { return g.begin > begin; });
  const bool joins_before =
      after != gaps_.begin() && std::prev(after)->begin + std::prev(after)->words == begin;
  const bool joins_after = after != gaps_.end() && begin + words == after->begin;
  used_ -= words;
  if (joins_before) {
    std::prev(after)->words += words + (joins_after ? after->words : 0);
    if (joins_after) gaps_.erase(after);
  } else if (joins_after) {
    after->begin = begin;
    after->words += words;
  } else {
    gaps_.insert(after, {begin, words});
  }
}

}  // namespace dragoman::engine
