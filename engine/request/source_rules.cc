#include "engine/request/source_rules.h"

#include <algorithm>
#include <cstddef>

namespace dragoman::engine {

std::vector<std::vector<int32_t>> SourceNgrams(std::span<const int32_t> source, int n) {
  std::vector<std::vector<int32_t>> ngrams;
  if (n <= 0) return ngrams;
  const auto size = static_cast<size_t>(n);
  for (size_t i = 0; i + size <= source.size(); ++i) {
    const auto from = source.begin() + static_cast<std::ptrdiff_t>(i);
    ngrams.emplace_back(from, from + n);
  }
  std::sort(ngrams.begin(), ngrams.end());
  ngrams.erase(std::unique(ngrams.begin(), ngrams.end()), ngrams.end());
  return ngrams;
}

std::vector<int32_t> DistinctTokens(std::span<const int32_t> source) {
  std::vector<int32_t> tokens(source.begin(), source.end());
  std::sort(tokens.begin(), tokens.end());
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  return tokens;
}

}  // namespace dragoman::engine
