// Required phrases drawn from the vocabulary.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/bench/search/bench_model.h"

namespace dragoman::bench {

// Returns phrases of one to `longest` tokens, with `total` tokens in all. Some phrases occur twice
// or share a beginning, because these cases are hard for a constraint state.
inline std::vector<std::vector<int32_t>> RandomPhrases(const std::vector<int32_t>& ids,
                                                       size_t total, size_t longest,
                                                       std::mt19937_64& generator) {
  std::vector<std::vector<int32_t>> phrases;
  while (total > 0) {
    const size_t length = 1 + Draw(generator, std::min(total, longest));
    std::vector<int32_t> phrase;
    for (size_t i = 0; i < length; ++i) phrase.push_back(ids[Draw(generator, ids.size())]);
    const size_t kind = Draw(generator, 8);
    if (!phrases.empty() && kind == 0 && phrases.back().size() <= total) {
      phrase = phrases.back();
    } else if (!phrases.empty() && kind == 1) {
      phrase[0] = phrases.back()[0];
    }
    total -= phrase.size();
    phrases.push_back(std::move(phrase));
  }
  return phrases;
}

}  // namespace dragoman::bench
