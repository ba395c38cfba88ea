#include "tests/bench/search/coverage.h"

#include <algorithm>
#include <numeric>

namespace dragoman::bench {
namespace {

// Places phrases order[next ...] in `tokens`. `taken` marks the tokens of phrases that are placed
// already. The recursion is as deep as the number of phrases, which is small.
bool Place(const std::vector<int32_t>& tokens, const std::vector<std::vector<int32_t>>& phrases,
           const std::vector<size_t>& order, size_t next, std::vector<bool>& taken) {
  if (next == order.size()) return true;
  const std::vector<int32_t>& phrase = phrases[order[next]];
  for (size_t at = 0; at + phrase.size() <= tokens.size(); ++at) {
    bool fits = true;
    for (size_t i = 0; fits && i < phrase.size(); ++i) {
      fits = tokens[at + i] == phrase[i] && !taken[at + i];
    }
    if (!fits) continue;
    for (size_t i = 0; i < phrase.size(); ++i) taken[at + i] = true;
    if (Place(tokens, phrases, order, next + 1, taken)) return true;
    for (size_t i = 0; i < phrase.size(); ++i) taken[at + i] = false;
  }
  return false;
}

}  // namespace

bool ContainsAll(const std::vector<int32_t>& tokens,
                 const std::vector<std::vector<int32_t>>& phrases) {
  std::vector<size_t> order(phrases.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return phrases[a].size() > phrases[b].size(); });
  std::vector<bool> taken(tokens.size(), false);
  return Place(tokens, phrases, order, 0, taken);
}

}  // namespace dragoman::bench
