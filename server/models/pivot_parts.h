// Splits a pivot job into the jobs of both engines, and joins their results.
//
// Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/api/engine.h"

namespace dragoman::server {

// Returns the part of `job` that the first engine translates (see PivotEngine). `language` is the
// pivot language.
engine::TranslationJob FirstLeg(const engine::TranslationJob& job, const std::string& language);

// Returns the job of the second engine: to translate the first engine's results for the items
// `items` from `language`, the pivot language. Only the options of `job` are used; its texts are
// gone. `prefixes` (may be empty) and `firsts` have the target prefix and the first engine's result
// of every item by its index. With sampling, both engines use the same seed.
engine::TranslationJob SecondLeg(const engine::TranslationJob& job,
                                 const std::vector<std::string>& prefixes,
                                 const std::string& language, const std::vector<int>& items,
                                 const std::vector<engine::ItemResult>& firsts);

// Returns the byte range of the item's text that corresponds to the byte range `between` of its
// first translation: the range of all sentences that `between` touches.
engine::ByteRange SourceOf(const engine::ItemResult& first, engine::ByteRange between);

// Joins two results, both OK. The index and the source tokens are those of `first`, and the target
// tokens those of `second`. Sentences are the smallest parts whose bounds are sentence bounds in
// both results. The finish reason is the worse one. The result has the warnings of both. If both
// have a warning with the same code, it has that of `second`.
engine::ItemResult Compose(const engine::ItemResult& first, engine::ItemResult second,
                           engine::PivotPart pivot);

}  // namespace dragoman::server
