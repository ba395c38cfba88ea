// Which tokens of a model's target vocabulary begin and end within a word (SEARCH.md a.8, "Word
// boundaries").
//
// Pure; thread-safe.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/decode/phrase_tables.h"
#include "engine/text/tokenizer.h"

namespace dragoman {

// Looks at every token once. nullptr where pieces mark no beginnings of words.
std::unique_ptr<const WordEdgeTable> MakeWordEdges(const Tokenizer& tokenizer, int32_t vocabulary);

}  // namespace dragoman
