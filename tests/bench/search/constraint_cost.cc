#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "tests/bench/search/random_phrases.h"
#include "tests/bench/search/run.h"
#include "tests/bench/search/schedules.h"
#include "tests/bench/search/subcommands.h"
#include "tests/bench/search/table.h"

namespace dragoman::bench {
namespace {

using Sources = std::vector<std::vector<int32_t>>;

// Every source with phrases of `total` tokens; 0: unconstrained.
std::vector<Task> WithPhrases(const BenchModel& model, const Sources& sources,
                              const DecodingOptions& asked, size_t total) {
  std::mt19937_64 generator(3);
  std::vector<Task> tasks;
  for (const std::vector<int32_t>& source : sources) {
    std::vector<std::vector<int32_t>> phrases;
    if (total > 0) phrases = RandomPhrases(model.ordinary_ids(), total, 3, generator);
    tasks.push_back(model.MakeTask(source, asked, std::move(phrases)));
  }
  return tasks;
}

// d1. Rows of a step are alike in all: eight segments of `beam` hypotheses.
void CostOfTokens(const BenchModel& model, const Sources& sources, int beam, int64_t rounds) {
  struct Case {
    std::string name;
    std::vector<Task> tasks;
    std::vector<double> row_micros, ratio;
    RunResult result;
  };
  std::vector<Case> cases;
  DecodingOptions asked;
  asked.beam_size = beam;
  for (const size_t total : {1, 2, 4, 8, 12}) {
    cases.push_back({"DBA, C = " + std::to_string(total),
                     WithPhrases(model, sources, asked, total),
                     {},
                     {},
                     {}});
  }
  cases.push_back({"unconstrained", WithPhrases(model, sources, asked, 0), {}, {}, {}});
  RunConfig config = OfSegments(RefillRule::kContinuous, WindowOrder::kLongestFirst, 8, beam, 64);
  for (int64_t round = 0; round < rounds; ++round) {
    for (Case& c : cases) {
      c.result = RunTasks(model, config, c.tasks);
      c.row_micros.push_back(c.result.decode_seconds * 1e6 /
                             static_cast<double>(c.result.row_steps));
      c.ratio.push_back(c.row_micros.back() / cases[0].row_micros.back());
    }
  }
  std::cout << "\n"
            << sources.size() << " texts, beam " << beam << ", 8 segments at a time, " << rounds
            << " rounds\n";
  Header({"search", "row-steps", "rows/step", "us per row-step", "x C = 1", "ms per text",
          "x unconstrained"});
  const auto text_ms = [&](const Case& c) {
    return Median(c.row_micros) * static_cast<double>(c.result.row_steps) * 1e-3 /
           static_cast<double>(sources.size());
  };
  for (const Case& c : cases) {
    Row({c.name, Cell(c.result.row_steps),
         Cell(static_cast<double>(c.result.row_steps) / static_cast<double>(c.result.steps), 1),
         Cell(Median(c.row_micros), 2), Cell(Median(c.ratio), 3), Cell(text_ms(c), 2),
         Cell(text_ms(c) / text_ms(cases.back()), 2)});
  }
}

// d1: grid beam search keeps k hypotheses for each number of met tokens. Emulated by what it would
// compute: an unpruned beam of k (C + 1) that keeps all its hypotheses to the end of the output.
void GridRows(const BenchModel& model, const Sources& sources, int64_t rounds) {
  constexpr int kPerBank = 4;
  struct Case {
    size_t total;
    std::vector<Task> dba, grid;
    std::vector<double> dba_step, grid_step;
  };
  std::vector<Case> cases;
  for (const size_t total : {1, 3, 6, 12}) {
    DecodingOptions asked;
    asked.beam_size = kPerBank;
    Case c{total, WithPhrases(model, sources, asked, total), {}, {}, {}};
    asked.beam_size = kPerBank * (static_cast<int>(total) + 1);
    asked.profile = Profile::kArticle;
    asked.pruning.max_candidates = kPerBank;  // what a bank takes of a parent
    c.grid = WithPhrases(model, sources, asked, 0);
    cases.push_back(std::move(c));
  }
  for (int64_t round = 0; round < rounds; ++round) {
    for (Case& c : cases) {
      const auto step = [&](const std::vector<Task>& tasks) {
        const int beam = tasks[0].search.beam;
        const RunResult r = RunTasks(
            model, OfSegments(RefillRule::kContinuous, WindowOrder::kLongestFirst, 4, beam, 64),
            tasks);
        // Of one step of one segment with all its rows.
        return r.decode_seconds * 1e6 / static_cast<double>(r.row_steps) * beam;
      };
      c.dba_step.push_back(step(c.dba));
      c.grid_step.push_back(step(c.grid));
    }
  }
  std::cout << "\n"
            << sources.size() << " texts; a step of one segment, us: DBA with k = " << kPerBank
            << " against the k (C + 1) rows of grid beam search\n";
  Header({"C", "DBA rows", "DBA us", "x C = 1", "grid rows", "grid us", "x C = 1"});
  for (const Case& c : cases) {
    Row({Cell(static_cast<int64_t>(c.total)), Cell(int64_t{kPerBank}), Cell(Median(c.dba_step), 1),
         Cell(Median(c.dba_step) / Median(cases[0].dba_step), 2),
         Cell(int64_t{c.grid[0].search.beam}), Cell(Median(c.grid_step), 1),
         Cell(Median(c.grid_step) / Median(cases[0].grid_step), 2)});
  }
}

// d5.
bool BatchingGain(const BenchModel& model, const Sources& sources, int beam, int64_t rounds) {
  DecodingOptions asked;
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
  for (int64_t round = 0; round < rounds; ++round) {
    for (Case& c : cases) {
      const auto run = [&](int segments) {
        return RunTasks(model,
                        OfSegments(RefillRule::kContinuous, WindowOrder::kLongestFirst, segments,
                                   beam, segments),
                        c.tasks);
      };
      const RunResult alone = run(1);
      const RunResult together = run(32);
      equal = equal && FirstDifference(alone, together) < 0;
      c.alone.push_back(alone.decode_seconds);
      c.together.push_back(together.decode_seconds);
      c.gain.push_back(alone.decode_seconds / together.decode_seconds);
    }
  }
  std::cout << "\n"
            << sources.size() << " texts, beam " << beam << ": one by one against 32 together, "
            << rounds << " rounds; outputs " << (equal ? "identical" : "DIFFERENT") << "\n";
  Header({"search", "one by one, s", "32 together, s", "gain", "x unconstrained gain"});
  for (const Case& c : cases) {
    Row({c.name, Cell(Median(c.alone), 2), Cell(Median(c.together), 2), Cell(Median(c.gain), 2),
         Cell(Median(c.gain) / Median(cases[0].gain), 3)});
  }
  return equal;
}

}  // namespace

bool RunConstraintCost(const BenchModel& model, Arguments& arguments) {
  const auto sources = InputSources(model, arguments, 96, 1, 2);
  const int beam = static_cast<int>(arguments.Number("beam", 10));
  const int64_t rounds = arguments.Number("rounds", 3);
  const std::string part = arguments.Text("part", "all");
  arguments.RefuseOthers();
  if (part == "all" || part == "tokens") CostOfTokens(model, sources, beam, rounds);
  if (part == "all" || part == "grid") GridRows(model, sources, rounds);
  return (part != "all" && part != "batching") || BatchingGain(model, sources, beam, rounds);
}

}  // namespace dragoman::bench
