// Splits a job over a language between into the jobs of both engines, and joins their results.
//
// Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/api/engine.h"

namespace dragoman::server {

// The first engine's part of `job`; `language` is the one between. See PivotEngine for which
// options go where.
engine::TranslationJob FirstLeg(const engine::TranslationJob& job, const std::string& language);

// The second engine's part of `job`, for the items `items`; `firsts` are the first engine's
// results, by index. With sampling, both use the same seed.
engine::TranslationJob SecondLeg(const engine::TranslationJob& job, const std::string& language,
                                 const std::vector<int>& items,
                                 const std::vector<engine::ItemResult>& firsts);

// The bytes of the item from which the bytes `between` of its first translation come: those of all
// sentences that they touch.
engine::ByteRange SourceOf(const engine::ItemResult& first, engine::ByteRange between);

// Joins two results, both OK, under the index of the first. Sentences are the finest parts that
// begin and end in both engines' sentences alike. The finish reason is the worse; tokens of the
// source are counted in the first and those of the target in the second. Warnings are those of
// both; of one code the second's.
engine::ItemResult Compose(const engine::ItemResult& first, engine::ItemResult second,
                           engine::PivotPart pivot);

}  // namespace dragoman::server
