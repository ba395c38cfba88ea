// Splits a job over a language between into the jobs of both engines, and joins their results.
//
// Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/api/engine.h"

namespace dragoman {

// The first engine's part of `job`; `language` is the one between. See PivotEngine for which
// options go where.
TranslationJob FirstLeg(const TranslationJob& job, const std::string& language);

// The second engine's part of `job`, for the items `items`; `firsts` are the first engine's
// results, by index. With sampling, both use the same seed.
TranslationJob SecondLeg(const TranslationJob& job, const std::string& language,
                         const std::vector<int>& items, const std::vector<ItemResult>& firsts);

// The bytes of the item from which the bytes `between` of its first translation come: those of all
// sentences that they touch.
ByteRange SourceOf(const ItemResult& first, ByteRange between);

// Joins two results, both OK, under the index of the first. Sentences are the finest parts that
// begin and end in both engines' sentences alike. The finish reason is the worse; tokens of the
// source are counted in the first and those of the target in the second. Warnings are those of
// both; of one code the second's.
ItemResult Compose(const ItemResult& first, ItemResult second, PivotPart pivot);

}  // namespace dragoman
