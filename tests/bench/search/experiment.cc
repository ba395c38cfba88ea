#include <algorithm>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/bench/search/report.h"
#include "tests/bench/search/run.h"
#include "tests/bench/search/schedules.h"
#include "tests/bench/search/searches.h"
#include "tests/bench/search/subcommands.h"

namespace dragoman::bench {
namespace {

struct SpeedCase {
  std::string name;
  engine::DecodingOptions asked;
  RunConfig config;
  bool long_one = false;  // too slow to repeat: runs in the first round only
};

// The cases that the ratios use: FIXED, and VAR-BATCH, the first of those that must agree in every
// bit.
constexpr size_t kFixed = 1;
constexpr size_t kVarBatch = 3;

int64_t TargetTokens(const RunResult& result) {
  int64_t tokens = 0;
  for (const auto& nbest : result.nbest) tokens += std::ssize(nbest.front().tokens) + 1;  // EOS
  return tokens;
}

double MeanScore(const RunResult& result) {
  double score = 0;
  for (const auto& nbest : result.nbest) score += double{nbest.front().score};
  return score / static_cast<double>(result.nbest.size());
}

// Writes a line for each text with its translations by every case, separated by tabs. Translations
// contain no tabs.
bool WriteTranslations(const BenchModel& model, const std::vector<RunResult>& results,
                       const std::string& path) {
  std::ofstream out(path);
  for (size_t text = 0; text < results[0].nbest.size(); ++text) {
    for (size_t i = 0; i < results.size(); ++i) {
      const std::vector<int32_t>& tokens = results[i].nbest[text].front().tokens;
      if (i > 0) out << "\t";
      out << model.tokenizer().Decode({tokens.begin(), tokens.end()});
    }
    out << "\n";
  }
  return out.good();
}

}  // namespace

bool RunExperiment(Runner& runner, Arguments& arguments, Report& report) {
  const BenchModel& model = runner.model();
  std::vector<std::string> lines =
      ReadLines(arguments.Text("input", DRAGOMAN_SOURCE_DIR "/tests/data/german.txt"));
  lines.resize(std::min(lines.size(), static_cast<size_t>(arguments.Number("texts", 200))));
  const int k = static_cast<int>(arguments.Number("beam", 50));
  const int n = static_cast<int>(arguments.Number("segments", 16));
  const int64_t rounds = arguments.Number("rounds", 3);
  const std::string output = arguments.Text("output", "");
  arguments.RefuseOthers();
  const auto sources = model.Encode(lines);
  const auto all = static_cast<int64_t>(sources.size());
  const RunConfig batch =
      OfSegments(engine::RefillRule::kStatic, engine::WindowOrder::kLongestFirst, n, k, all);
  const engine::DecodingOptions var = Variable(k, 1.5F, 5);
  const std::vector<SpeedCase> cases = {
      {"GREEDY", FixedOurs(1), batch},
      {"FIXED", Fixed(k), batch, true},
      {"FIXED-OURS", FixedOurs(k), batch, true},
      {"VAR-BATCH", var, batch},
      {"VAR-STREAM", var, Streaming(n, k, all, 6)},
      {"VAR-FIFO", var, Streaming(n, k, all, 6, kernels::SlotSelection::kLongest)},
      {"VAR, the default schedule", var, TopUpByRows(n, k, engine::WindowOrder::kLongestFirst, 64)},
  };
  std::vector<RunResult> first;
  std::vector<std::vector<double>> seconds(cases.size());
  std::vector<std::vector<double>> by_batch(cases.size());
  for (int64_t round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < cases.size(); ++i) {
      if (round > 0 && cases[i].long_one) continue;
      RunResult r = runner.Run(cases[i].config, model.Tasks(sources, cases[i].asked));
      seconds[i].push_back(r.decode_seconds);
      if (round == 0) first.push_back(std::move(r));
    }
    for (size_t i = 0; i < cases.size(); ++i) {
      if (round > 0 && cases[i].long_one) continue;
      by_batch[i].push_back(seconds[i].back() / seconds[kVarBatch].back());
    }
  }
  const int members = model.members();
  report.Table(absl::StrCat(members, members == 1 ? " model, " : " models, ", all, " texts, beam ",
                            k, ", delta 1.5, M 5, n = ", n, " segments, ", rounds,
                            " rounds, of FIXED and FIXED-OURS one"),
               {"search", "steps", "rows/step", "row-steps", "model-rows", "expansions",
                "expansions/text", "mean score", "decode s", "texts/s", "tokens/s",
                "x FIXED expansions", "x FIXED time", "x VAR-BATCH time"});
  for (size_t i = 0; i < cases.size(); ++i) {
    const RunResult& r = first[i];
    std::optional<double> per_text;
    std::optional<double> share;
    if (r.expansions.has_value()) {
      per_text = static_cast<double>(*r.expansions) / static_cast<double>(all);
      share = static_cast<double>(*r.expansions) / static_cast<double>(*first[kFixed].expansions);
    }
    const double time = Median(seconds[i]);
    report.Row({cases[i].name, Cell(r.steps), Cell(r.RowsPerStep(), 1), Cell(r.row_steps),
                Cell(r.row_steps * members), Counted(r.expansions), Counted(per_text, 1),
                Cell(MeanScore(r), 4), Cell(time, 2), Cell(static_cast<double>(all) / time, 1),
                Cell(static_cast<double>(TargetTokens(r)) / time, 0), Counted(share, 3),
                Cell(time / Median(seconds[kFixed]), 3), Cell(Median(by_batch[i]), 3)});
  }
  bool equal = true;
  for (size_t i = kVarBatch + 1; i < cases.size(); ++i) {
    const int different = FirstDifference(first[kVarBatch], first[i]);
    if (different >= 0) std::cerr << cases[i].name << ": text " << different << " differs\n";
    equal = equal && different < 0 && SameWork(first[kVarBatch], first[i]);
  }
  if (!output.empty() && !WriteTranslations(model, first, output)) {
    std::cerr << "search_bench: cannot write " << output << "\n";
    return false;
  }
  return report.Identical("n-best and work of VAR under all schedules", equal);
}

}  // namespace dragoman::bench
