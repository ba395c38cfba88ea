#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/bench/search/random_phrases.h"
#include "tests/bench/search/report.h"
#include "tests/bench/search/run.h"
#include "tests/bench/search/schedules.h"
#include "tests/bench/search/subcommands.h"

namespace dragoman::bench {
namespace {

using Sources = std::vector<std::vector<int32_t>>;

// Returns a task for every source, with phrases of `total` tokens in all. 0 makes it unconstrained.
std::vector<Task> WithPhrases(const BenchModel& model, const Sources& sources,
                              const engine::DecodingOptions& asked, size_t total) {
  std::mt19937_64 generator(3);
  std::vector<Task> tasks;
  for (const std::vector<int32_t>& source : sources) {
    std::vector<std::vector<int32_t>> phrases;
    if (total > 0) phrases = RandomPhrases(model.ordinary_ids(), total, 3, generator);
    tasks.push_back(model.MakeTask(source, asked, std::move(phrases)));
  }
  return tasks;
}

// The setting that the parts share.
struct Setting {
  Runner& runner;
  Report& report;
  const Sources& sources;
  int64_t rounds;

  // Runs `tasks` with `n` segments at a time.
  RunResult Run(int n, int beam, int64_t window, const std::vector<Task>& tasks) const {
    return runner.Run(OfSegments(engine::RefillRule::kContinuous,
                                 engine::WindowOrder::kLongestFirst, n, beam, window),
                      tasks);
  }
};

// d1: the cost of constraint tokens. Every step has the rows of n segments of `beam` hypotheses.
void CostOfTokens(const Setting& setting, int n, int beam) {
  const BenchModel& model = setting.runner.model();
  const Sources& sources = setting.sources;
  struct Case {
    std::string name;
    std::vector<Task> tasks;
    std::vector<double> row_micros, ratio;
    RunResult result;
  };
  std::vector<Case> cases;
  engine::DecodingOptions asked;
  asked.beam_size = beam;
  for (const size_t total : {1, 2, 4, 8, 12}) {
    cases.push_back({"DBA, C = " + std::to_string(total),
                     WithPhrases(model, sources, asked, total),
                     {},
                     {},
                     {}});
  }
  cases.push_back({"unconstrained", WithPhrases(model, sources, asked, 0), {}, {}, {}});
  for (int64_t round = 0; round < setting.rounds; ++round) {
    for (Case& c : cases) {
      c.result = setting.Run(n, beam, 64, c.tasks);
      c.row_micros.push_back(c.result.decode_seconds * 1e6 /
                             static_cast<double>(c.result.row_steps));
      c.ratio.push_back(c.row_micros.back() / cases[0].row_micros.back());
    }
  }
  setting.report.Table(absl::StrCat(sources.size(), " texts, beam ", beam, ", ", n,
                                    " segments at a time, ", setting.rounds, " rounds"),
                       {"search", "row-steps", "rows/step", "us per row-step", "x C = 1",
                        "ms per text", "x unconstrained"});
  const auto text_ms = [&](const Case& c) {
    return Median(c.row_micros) * static_cast<double>(c.result.row_steps) * 1e-3 /
           static_cast<double>(sources.size());
  };
  for (const Case& c : cases) {
    setting.report.Row({c.name, Cell(c.result.row_steps), Cell(c.result.RowsPerStep(), 1),
                        Cell(Median(c.row_micros), 2), Cell(Median(c.ratio), 3),
                        Cell(text_ms(c), 2), Cell(text_ms(c) / text_ms(cases.back()), 2)});
  }
}

// d1: the cost of grid beam search, which keeps k hypotheses for each number of met constraint
// tokens. Measured with a search that computes the same number of rows: an unpruned beam of
// k (C + 1) that keeps all its hypotheses to the end of the output.
void GridRows(const Setting& setting, int n) {
  const BenchModel& model = setting.runner.model();
  const Sources& sources = setting.sources;
  constexpr int kPerBank = 4;
  struct Case {
    size_t total;
    std::vector<Task> dba, grid;
    std::vector<double> dba_step, grid_step;
  };
  std::vector<Case> cases;
  for (const size_t total : {1, 3, 6, 12}) {
    engine::DecodingOptions asked;
    asked.beam_size = kPerBank;
    Case c{total, WithPhrases(model, sources, asked, total), {}, {}, {}};
    asked.beam_size = kPerBank * (static_cast<int>(total) + 1);
    asked.profile = engine::Profile::kArticle;
    asked.pruning.max_candidates = kPerBank;  // as many as a bank takes from one parent
    c.grid = WithPhrases(model, sources, asked, 0);
    cases.push_back(std::move(c));
  }
  for (int64_t round = 0; round < setting.rounds; ++round) {
    for (Case& c : cases) {
      const auto step = [&](const std::vector<Task>& tasks) {
        const int beam = tasks[0].search.beam;
        const RunResult r = setting.Run(n, beam, 64, tasks);
        // Microseconds of one step of one segment with all its rows.
        return r.decode_seconds * 1e6 / static_cast<double>(r.row_steps) * beam;
      };
      c.dba_step.push_back(step(c.dba));
      c.grid_step.push_back(step(c.grid));
    }
  }
  setting.report.Table(absl::StrCat(sources.size(), " texts, ", n,
                                    " segments at a time; a step of one segment, us: DBA with k = ",
                                    kPerBank, " against the k (C + 1) rows of grid beam search"),
                       {"C", "DBA rows", "DBA us", "x C = 1", "grid rows", "grid us", "x C = 1"});
  for (const Case& c : cases) {
    setting.report.Row({Cell(static_cast<int64_t>(c.total)), Cell(int64_t{kPerBank}),
                        Cell(Median(c.dba_step), 1),
                        Cell(Median(c.dba_step) / Median(cases[0].dba_step), 2),
                        Cell(int64_t{c.grid[0].search.beam}), Cell(Median(c.grid_step), 1),
                        Cell(Median(c.grid_step) / Median(cases[0].grid_step), 2)});
  }
}

// d5: the gain of batching segments with constraints.
bool BatchingGain(const Setting& setting, int n, int beam) {
  const BenchModel& model = setting.runner.model();
  const Sources& sources = setting.sources;
  engine::DecodingOptions asked;
  asked.beam_size = beam;
  struct Case {
    std::string name;
    std::vector<Task> tasks;
    std::vector<double> alone, together, gain;
  };
  std::vector<Case> cases;
  for (const size_t total : {0, 1, 4, 12}) {
    cases.push_back({total == 0 ? "unconstrained" : "C = " + std::to_string(total),
                     WithPhrases(model, sources, asked, total),
                     {},
                     {},
                     {}});
  }
  bool equal = true;
  for (int64_t round = 0; round < setting.rounds; ++round) {
    for (Case& c : cases) {
      const RunResult alone = setting.Run(1, beam, 1, c.tasks);
      const RunResult together = setting.Run(n, beam, n, c.tasks);
      equal = equal && FirstDifference(alone, together) < 0;
      c.alone.push_back(alone.decode_seconds);
      c.together.push_back(together.decode_seconds);
      c.gain.push_back(alone.decode_seconds / together.decode_seconds);
    }
  }
  const std::string title =
      absl::StrCat(sources.size(), " texts, beam ", beam, ": one by one against ", n, " together");
  setting.report.Table(
      absl::StrCat(title, ", ", setting.rounds, " rounds"),
      {"search", "one by one, s", absl::StrCat(n, " together, s"), "gain", "x unconstrained gain"});
  for (const Case& c : cases) {
    setting.report.Row({c.name, Cell(Median(c.alone), 2), Cell(Median(c.together), 2),
                        Cell(Median(c.gain), 2), Cell(Median(c.gain) / Median(cases[0].gain), 3)});
  }
  return setting.report.Identical(absl::StrCat("n-best of ", title), equal);
}

}  // namespace

bool RunConstraintCost(Runner& runner, Arguments& arguments, Report& report) {
  const auto sources = InputSources(runner.model(), arguments, 96, 1, 2);
  const int beam = static_cast<int>(arguments.Number("beam", 10));
  const auto segments = [&](int64_t otherwise) {
    return static_cast<int>(arguments.Number("segments", otherwise));
  };
  const int of_tokens = segments(8);
  const int of_grid = segments(4);
  const int together = segments(32);
  const Setting setting{runner, report, sources, arguments.Number("rounds", 3)};
  const std::string part = arguments.Text("part", "all");
  arguments.RefuseOthers();
  if (part == "all" || part == "tokens") CostOfTokens(setting, of_tokens, beam);
  if (part == "all" || part == "grid") GridRows(setting, of_grid);
  return (part != "all" && part != "batching") || BatchingGain(setting, together, beam);
}

}  // namespace dragoman::bench
