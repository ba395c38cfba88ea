// Prepares the rules of a search that depend on the source tokens: encoder_no_repeat_ngram_size and
// encoder_repetition_penalty of generation_config.json (SEARCH.md a.8).
//
// Thread-safety: pure functions. The token ids are used both as source ids and as target ids.
// Models with two vocabularies do not have these rules.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman::engine {

// Returns all sequences of n adjacent source tokens, ascending, without repeats; none if n <= 0.
std::vector<std::vector<int32_t>> SourceNgrams(std::span<const int32_t> source, int n);

// Returns the tokens of the source, ascending, without repeats.
std::vector<int32_t> DistinctTokens(std::span<const int32_t> source);

}  // namespace dragoman::engine
