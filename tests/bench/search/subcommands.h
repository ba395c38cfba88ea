// The subcommands of search_bench. Each reports tables and returns false if a check failed.
#pragma once

#include "tests/bench/arguments.h"
#include "tests/bench/search/bench_model.h"
#include "tests/bench/search/report.h"
#include "tests/bench/search/run.h"

namespace dragoman::bench {

// Runs every schedule on the same texts. Checks that the n-best lists are identical and reports
// each schedule's cost (a1, a4, a6).
bool RunSchedulers(Runner& runner, Arguments& arguments, Report& report);

// Runs FIXED, FIXED-OURS and pruned search, and the sweeps over eps, delta and M (a2, a3, a5, a7).
bool RunPruning(Runner& runner, Arguments& arguments, Report& report);

// Runs the main experiment of the paper on variable-width streaming: FIXED, VAR-BATCH and
// VAR-STREAM on the same texts, with VAR's n-best identical (a1-a3). The paper has --members 5.
bool RunExperiment(Runner& runner, Arguments& arguments, Report& report);

// Runs mini- and maxi-batches with and without top-up, on short and on long texts (c1-c3).
bool RunTopUp(Runner& runner, Arguments& arguments, Report& report);

// Checks that outputs contain seeded random required phrases (d2).
bool RunConstraints(Runner& runner, Arguments& arguments, Report& report);

// Measures the cost of required phrases (d1, d5) next to the rows of grid beam search.
bool RunConstraintCost(Runner& runner, Arguments& arguments, Report& report);

// Measures the cost per row of every option at its extreme, in rows of plain beam search.
bool RunRowCosts(Runner& runner, Arguments& arguments, Report& report);

// Translates a file with required phrases by the engine or grid beam search (a8, d3, d4, d6).
bool RunTranslate(Runner& runner, Arguments& arguments, Report& report);

// Measures the papers' variants of single operations: separate sweeps, K/V copied on reorder, cross
// K/V per hypothesis, no cache; n-gram bans and detokenisation (b1, b3, e1-e4). tests/gpu/variants
// has those of a device. REQUIRES: a runner on the CPU.
bool RunVariants(Runner& runner, Arguments& arguments, Report& report);

// Text input of a subcommand: --input, --texts, --low, --high, --seed.
std::vector<std::vector<int32_t>> InputSources(const BenchModel& model, Arguments& arguments,
                                               size_t texts, int low, int high);

}  // namespace dragoman::bench
