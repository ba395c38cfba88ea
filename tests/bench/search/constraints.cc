#include <iostream>
#include <map>
#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/bench/search/coverage.h"
#include "tests/bench/search/random_phrases.h"
#include "tests/bench/search/report.h"
#include "tests/bench/search/run.h"
#include "tests/bench/search/schedules.h"
#include "tests/bench/search/subcommands.h"

namespace dragoman::bench {
namespace {

struct Tally {
  int64_t runs = 0;
  int64_t unmet = 0;    // reported CONSTRAINTS_UNMET
  int64_t missing = 0;  // other runs whose output lacks a phrase
  int64_t exact = 0;    // runs whose limit was the number of constraint tokens
  int64_t anyway = 0;   // unconstrained outputs that would have passed: how sharp the check is
};

void Describe(const Task& task, const engine::DecodedHypothesis& found) {
  std::cerr << "beam " << task.search.beam << ", allocation "
            << (task.search.constraint_allocation == kernels::Allocation::kBanks ? "banks"
                                                                                 : "stripe")
            << ", limit " << task.search.max_tokens << "\n  source";
  for (const int32_t id : task.source) std::cerr << " " << id;
  for (const auto& phrase : task.phrases) {
    std::cerr << "\n  phrase";
    for (const int32_t id : phrase) std::cerr << " " << id;
  }
  std::cerr << "\n  output";
  for (const int32_t id : found.tokens) std::cerr << " " << id;
  std::cerr << "\n";
}

}  // namespace

bool RunConstraints(Runner& runner, Arguments& arguments, Report& report) {
  const BenchModel& model = runner.model();
  const auto sources = InputSources(model, arguments, 2000, 1, 1);
  const auto low = static_cast<size_t>(arguments.Number("min-beam", 2));
  const auto high = static_cast<size_t>(arguments.Number("max-beam", 8));
  const auto most = static_cast<size_t>(arguments.Number("max-tokens", 12));
  const auto seed = static_cast<uint64_t>(arguments.Number("phrase-seed", 2));
  arguments.RefuseOthers();

  std::mt19937_64 generator(seed);
  std::vector<Task> tasks;
  for (const std::vector<int32_t>& source : sources) {
    engine::DecodingOptions asked;
    const size_t total = 1 + Draw(generator, most);
    asked.beam_size = static_cast<int>(low + Draw(generator, high - low + 1));
    // A third of the runs have the tightest limit that is possible, a third a slightly higher one,
    // and a third the server's own limit.
    const size_t tightness = Draw(generator, 3);
    if (tightness == 0) asked.max_output_tokens = static_cast<int>(total);
    if (tightness == 1) asked.max_output_tokens = static_cast<int>(total + 1 + Draw(generator, 8));
    const auto phrases = RandomPhrases(model.ordinary_ids(), total, 4, generator);
    for (const kernels::Allocation allocation :
         {kernels::Allocation::kStripe, kernels::Allocation::kBanks}) {
      asked.constraint_allocation = allocation;
      tasks.push_back(model.MakeTask(source, asked, phrases));
    }
  }
  const RunConfig config = TopUpByRows(32, 8, engine::WindowOrder::kArrival, 64);
  const RunResult result = runner.Run(config, tasks);
  const RunResult unconstrained = runner.Run(config, model.Tasks(sources, {}));

  std::map<kernels::Allocation, Tally> tallies;
  for (size_t i = 0; i < tasks.size(); ++i) {
    const Task& task = tasks[i];
    const engine::DecodedHypothesis& best = result.nbest[i].front();
    Tally& tally = tallies[task.search.constraint_allocation];
    ++tally.runs;
    size_t total = 0;
    for (const auto& phrase : task.phrases) total += phrase.size();
    if (task.search.max_tokens == static_cast<int32_t>(total)) ++tally.exact;
    if (ContainsAll(unconstrained.nbest[i / 2].front().tokens, task.phrases)) ++tally.anyway;
    const bool contains = ContainsAll(best.tokens, task.phrases);
    const bool unmet = best.reason == kernels::FinishReason::kConstraintsUnmet;
    if (unmet) ++tally.unmet;
    if (!unmet && !contains) ++tally.missing;
    if (unmet || !contains) Describe(task, best);
  }
  report.Table(absl::StrCat(sources.size(), " sources, beam ", low, " to ", high, ", 1 to ", most,
                            " constraint tokens in phrases of 1 to 4"),
               {"allocation", "runs", "limit = constraint tokens", "CONSTRAINTS_UNMET",
                "a phrase missing", "unconstrained outputs with all of them"});
  bool met = true;
  for (const auto& [allocation, tally] : tallies) {
    report.Row({allocation == kernels::Allocation::kBanks ? "banks" : "stripe", Cell(tally.runs),
                Cell(tally.exact), Cell(tally.unmet), Cell(tally.missing), Cell(tally.anyway)});
    met = met && tally.unmet == 0 && tally.missing == 0;
  }
  return met;
}

}  // namespace dragoman::bench
