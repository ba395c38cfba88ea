// Reads what the kinds of search have in common: the model, and the fields of SearchCase.
#pragma once

#include "tests/oracle/fields.h"
#include "tests/oracle/search_backend.h"

namespace dragoman::oracle {

inline constexpr int64_t kMaxVocabulary = 1'000'000;
inline constexpr int64_t kMaxBeam = 1'000'000;
inline constexpr int64_t kMaxLen = 1'000'000;

// The fields that every kind of search may have; `beam` and `max_len` are called as the kind does.
void ReadSearch(Fields& input, SearchCase& c);

}  // namespace dragoman::oracle
