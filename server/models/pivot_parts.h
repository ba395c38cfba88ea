// Splits a pivot job into the jobs of both engines, and joins their results.
//
// Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/api/engine.h"

namespace dragoman::server {

// Returns the first engine's part of `job` (see PivotEngine). `language` is the pivot language.
engine::TranslationJob FirstLeg(const engine::TranslationJob& job, const std::string& language);

// Returns the second engine's part of `job` for the items with the numbers `items`. `job` itself
// has no contents. `prefixes` has the target prefix of every item by its number, or is empty.
// `firsts` has the first engine's result of every item by its number. With sampling, both engines
// use the same seed.
engine::TranslationJob SecondLeg(const engine::TranslationJob& job,
                                 const std::vector<std::string>& prefixes,
                                 const std::string& language, const std::vector<int>& items,
                                 const std::vector<engine::ItemResult>& firsts);

// Returns the byte range of the item's text that corresponds to the byte range `between` of its
// first translation: the range of all sentences that `between` touches.
engine::ByteRange SourceOf(const engine::ItemResult& first, engine::ByteRange between);

// Joins two results, both OK. The index and the source tokens are those of the first, the target
// tokens those of the second. Sentences are the smallest parts whose bounds are sentence bounds in
// both results. The finish reason is the worse one. Warnings are those of both; if both have the
// same code, the second's.
engine::ItemResult Compose(const engine::ItemResult& first, engine::ItemResult second,
                           engine::PivotPart pivot);

}  // namespace dragoman::server
