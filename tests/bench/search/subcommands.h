// The subcommands of search_bench. Each prints Markdown tables, and returns false when something
// that must be equal, or must hold, did not.
#pragma once

#include "tests/bench/arguments.h"
#include "tests/bench/search/bench_model.h"

namespace dragoman::bench {

// Every schedule on the same texts: identical n-best, and what each costs (claims a1, a4, a6).
bool RunSchedulers(const BenchModel& model, Arguments& arguments);

// FIXED, FIXED-OURS and pruned search, and the sweeps over eps, delta and M (a2, a3, a5, a7).
bool RunPruning(const BenchModel& model, Arguments& arguments);

// Mini- and maxi-batches with and without top-up, on short and on long texts (c1-c3).
bool RunTopUp(const BenchModel& model, Arguments& arguments);

// Seeded random required phrases: are they there (d2)?
bool RunConstraints(const BenchModel& model, Arguments& arguments);

// What required phrases cost (d1, d5), beside the rows of grid beam search.
bool RunConstraintCost(const BenchModel& model, Arguments& arguments);

// Translates a file, each line with its required phrases (a8, d3, d6).
bool RunTranslate(const BenchModel& model, Arguments& arguments);

// What the papers compare with, at the level of operations: separate sweeps, K/V copied on reorder,
// cross K/V per hypothesis, no cache; n-gram bans and detokenisation (b1, b3, e1-e4).
bool RunVariants(const BenchModel& model, Arguments& arguments);

// Text input of a part: --input, --texts, --low, --high, --seed.
std::vector<std::vector<int32_t>> InputSources(const BenchModel& model, Arguments& arguments,
                                               size_t texts, int low, int high);

}  // namespace dragoman::bench
