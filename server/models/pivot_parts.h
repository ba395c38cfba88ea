// A job over a language between, taken apart and put together: what each engine is asked, and what
// comes of both answers.
//
// Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/api/engine.h"

namespace dragoman {

// What the first engine is asked of `job`; `language` is the one between. See PivotEngine for which
// options go where.
TranslationJob FirstLeg(const TranslationJob& job, const std::string& language);

// What the second one is asked of the items `items` of `job`, which the first has made `firsts` of,
// by index. With sampling, its draws have the first's seed.
TranslationJob SecondLeg(const TranslationJob& job, const std::string& language,
                         const std::vector<int>& items, const std::vector<ItemResult>& firsts);

// The bytes of the item that the bytes `between` of its first translation come from: those of all
// sentences that they touch.
ByteRange SourceOf(const ItemResult& first, ByteRange between);

// One answer of two, both OK, under the index of the first. Sentences are the finest parts that
// begin and end in both engines' sentences alike. The finish reason is the worse; tokens of the
// source are counted in the first and those of the target in the second.
ItemResult Compose(const ItemResult& first, ItemResult second, PivotPart pivot);

}  // namespace dragoman
