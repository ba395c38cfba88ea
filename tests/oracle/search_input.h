// Reads what all kinds of search share: the model, and the fields of SearchCase.
#pragma once

#include "tests/oracle/fields.h"
#include "tests/oracle/search_backend.h"

namespace dragoman::oracle {

inline constexpr int64_t kMaxVocabulary = 1'000'000;
inline constexpr int64_t kMaxBeam = 1'000'000;
inline constexpr int64_t kMaxLen = 1'000'000;

// Reads the fields of all kinds of search. Some name `beam` "k", and `max_len` "decode_max_len".
void ReadSearch(Fields& input, SearchCase& c);

}  // namespace dragoman::oracle
