// The rules that depend on the source's own tokens: encoder_no_repeat_ngram_size and
// encoder_repetition_penalty of generation_config.json (SEARCH.md a.8).
//
// Pure functions. Ids are the source's; they are the target's as well, because a model with two
// vocabularies has neither rule.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman::engine {

// Every `n` tokens in a row, ascending, each once. n <= 0: none.
std::vector<std::vector<int32_t>> SourceNgrams(std::span<const int32_t> source, int n);

// The tokens, ascending, each once.
std::vector<int32_t> DistinctTokens(std::span<const int32_t> source);

}  // namespace dragoman::engine
