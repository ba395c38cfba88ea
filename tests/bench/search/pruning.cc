#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/bench/search/report.h"
#include "tests/bench/search/run.h"
#include "tests/bench/search/schedules.h"
#include "tests/bench/search/searches.h"
#include "tests/bench/search/subcommands.h"

namespace dragoman::bench {
namespace {

struct PruningCase {
  std::string name;
  engine::DecodingOptions asked;
  RunConfig config;
  std::string claim;  // the claim that its ratio tests
  size_t baseline;    // index of the ratios' baseline: an earlier case, or itself
  bool same_output;   // whether its output must equal the baseline's
};

}  // namespace

bool RunPruning(Runner& runner, Arguments& arguments, Report& report) {
  const BenchModel& model = runner.model();
  const auto sources = InputSources(model, arguments, 200, 1, 4);
  const int k = static_cast<int>(arguments.Number("beam", 5));
  const int n = static_cast<int>(arguments.Number("segments", 16));
  const int64_t rounds = arguments.Number("rounds", 3);
  arguments.RefuseOthers();
  const auto all = static_cast<int64_t>(sources.size());
  const RunConfig batch =
      OfSegments(engine::RefillRule::kStatic, engine::WindowOrder::kLongestFirst, n, k, all);
  const RunConfig stream = Streaming(n, k, all, 6);
  const std::vector<PruningCase> cases = {
      {"FIXED, batch", Fixed(k), batch, "", 0, true},
      {"FIXED-OURS, batch", FixedOurs(k), batch, "", 0, false},
      {"FIXED-OURS, streamed", FixedOurs(k), stream, "a7", 1, true},
      {"GREEDY, batch", FixedOurs(1), batch, "", 0, false},
      {"VAR 1.5, 5, batch", Variable(k, 1.5F, 5), batch, "a2, a3", 0, false},
      {"VAR 1.5, 5, streamed, eps 1/6", Variable(k, 1.5F, 5), stream, "a1", 4, true},
      {"eps 1/12", Variable(k, 1.5F, 5), Streaming(n, k, all, 12), "a5", 5, true},
      {"eps 1/4", Variable(k, 1.5F, 5), Streaming(n, k, all, 4), "a5", 5, true},
      {"delta 0.5", Variable(k, 0.5F, 5), stream, "a5", 5, false},
      {"delta 2.5", Variable(k, 2.5F, 5), stream, "a5", 5, false},
      {"M 3", Variable(k, 1.5F, 3), stream, "a5", 5, false},
      {"M 10", Variable(k, 1.5F, 10), stream, "a5", 5, false},
  };
  std::vector<RunResult> first;
  std::vector<std::vector<double>> seconds(cases.size());
  std::vector<std::vector<double>> ratios(cases.size());
  for (int64_t round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < cases.size(); ++i) {
      RunResult r = runner.Run(cases[i].config, model.Tasks(sources, cases[i].asked));
      seconds[i].push_back(r.decode_seconds);
      ratios[i].push_back(r.decode_seconds / seconds[cases[i].baseline].back());
      if (round == 0) first.push_back(std::move(r));
    }
  }
  report.Table(absl::StrCat(sources.size(), " texts, beam ", k, ", n = ", n, " segments, ", rounds,
                            " rounds; streaming is shortest first"),
               {"search", "steps", "rows/step", "row-steps", "expansions", "mean score", "decode s",
                "beside", "x expansions", "x time"});
  bool equal = true;
  for (size_t i = 0; i < cases.size(); ++i) {
    const PruningCase& c = cases[i];
    const RunResult& r = first[i];
    const RunResult& base = first[c.baseline];
    double score = 0;
    for (const auto& nbest : r.nbest) score += double{nbest.front().score};
    std::optional<double> expansions;
    if (r.expansions.has_value()) {
      expansions = static_cast<double>(*r.expansions) / static_cast<double>(*base.expansions);
    }
    report.Row({c.name, Cell(r.steps), Cell(r.RowsPerStep(), 1), Cell(r.row_steps),
                Counted(r.expansions), Cell(score / static_cast<double>(r.nbest.size()), 4),
                Cell(Median(seconds[i]), 2),
                c.claim.empty() ? "" : c.claim + ": " + cases[c.baseline].name,
                Counted(expansions, 3), Cell(Median(ratios[i]), 3)});
    const int different = c.same_output ? FirstDifference(base, r) : -1;
    if (different >= 0) {
      std::cerr << c.name << ": text " << different << " is not that of " << cases[c.baseline].name
                << "\n";
      equal = false;
    }
  }
  // Expansions (a3) and row-steps must not depend on the schedule either.
  equal = equal && SameWork(first[1], first[2]);
  for (const size_t i : {5, 6, 7}) equal = equal && SameWork(first[4], first[i]);
  const std::string work = first[0].expansions.has_value() ? "expansions" : "row-steps";
  return report.Identical("n-best and " + work + " of one search under all schedules and eps",
                          equal);
}

}  // namespace dragoman::bench
