// The rules that depend on the source's tokens: encoder_no_repeat_ngram_size and
// encoder_repetition_penalty of generation_config.json (SEARCH.md a.8).
//
// Thread-safety: pure functions. Ids belong to the source and to the target, because a model with
// two vocabularies has neither rule.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman::engine {

// Returns all n-grams of the source, ascending, without repeats; none if n <= 0.
std::vector<std::vector<int32_t>> SourceNgrams(std::span<const int32_t> source, int n);

// Returns the tokens, ascending, without repeats.
std::vector<int32_t> DistinctTokens(std::span<const int32_t> source);

}  // namespace dragoman::engine
