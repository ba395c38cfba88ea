#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/bench/search/report.h"
#include "tests/bench/search/run.h"
#include "tests/bench/search/schedules.h"
#include "tests/bench/search/subcommands.h"

namespace dragoman::bench {
namespace {

std::vector<Schedule> AllSchedules(int n, int k, int64_t all) {
  using R = engine::RefillRule;
  using O = engine::WindowOrder;
  return {
      {"static batch, length-sorted (VAR-BATCH)",
       OfSegments(R::kStatic, O::kLongestFirst, n, k, all)},
      {"static batch, as they arrive (mini)", OfSegments(R::kStatic, O::kArrival, n, k, n)},
      {"static batch, windows of 10 batches (maxi)",
       OfSegments(R::kStatic, O::kLongestFirst, n, k, 10 * n)},
      {"streaming, eps 1/6, shortest first (VAR-STREAM)", Streaming(n, k, all, 6)},
      {"streaming, eps 1/6, longest first (FIFO)",
       Streaming(n, k, all, 6, kernels::SlotSelection::kLongest)},
      {"streaming, width budget, 4 n in slots", WidthBudget(n, k, all)},
      {"half-empty top-up, as they arrive", OfSegments(R::kHalfEmpty, O::kArrival, n, k, n)},
      {"continuous top-up of n segments, as they arrive",
       OfSegments(R::kContinuous, O::kArrival, n, k, n)},
      {"continuous top-up of rows, as they arrive", TopUpByRows(n, k, O::kArrival, n)},
      {"continuous top-up of rows, window of 64 (the default)",
       TopUpByRows(n, k, O::kLongestFirst, 64)},
  };
}

Cell Padding(const std::optional<Positions>& positions) {
  return Percent(positions.has_value() ? std::optional(positions->PaddingShare()) : std::nullopt);
}

}  // namespace

std::vector<std::vector<int32_t>> InputSources(const BenchModel& model, Arguments& arguments,
                                               size_t texts, int low, int high) {
  const std::string path = arguments.Text("input", DRAGOMAN_SOURCE_DIR "/tests/data/german.txt");
  const auto count = static_cast<size_t>(arguments.Number("texts", static_cast<int64_t>(texts)));
  const auto seed = static_cast<uint64_t>(arguments.Number("seed", 1));
  return model.Encode(JoinLines(ReadLines(path), count, low, high, seed));
}

bool RunSchedulers(Runner& runner, Arguments& arguments, Report& report) {
  const BenchModel& model = runner.model();
  const auto sources = InputSources(model, arguments, 1000, 1, 4);
  const int k = static_cast<int>(arguments.Number("beam", 5));
  const int n = static_cast<int>(arguments.Number("segments", 32));
  const int64_t rounds = arguments.Number("rounds", 3);
  arguments.RefuseOthers();
  engine::DecodingOptions asked;
  asked.profile = engine::Profile::kPaper;
  asked.beam_size = k;
  asked.num_alternatives = k;
  asked.pruning.absolute_delta = 1.5F;
  asked.pruning.max_candidates = 5;
  const std::vector<Task> tasks = model.Tasks(sources, asked);
  const std::vector<Schedule> schedules = AllSchedules(n, k, static_cast<int64_t>(tasks.size()));

  std::vector<RunResult> first;
  std::vector<std::vector<double>> seconds(schedules.size());
  std::vector<std::vector<double>> ratios(schedules.size());
  bool equal = true;
  for (int64_t round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < schedules.size(); ++i) {
      RunResult result = runner.Run(schedules[i].config, tasks);
      seconds[i].push_back(result.decode_seconds);
      ratios[i].push_back(result.decode_seconds / seconds[0].back());
      const int different = FirstDifference(first.empty() ? result : first[0], result);
      if (different >= 0) {
        std::cerr << schedules[i].name << ": text " << different << " differs\n";
        equal = false;
      }
      if (round == 0) first.push_back(std::move(result));
    }
  }
  report.Table(absl::StrCat(tasks.size(), " texts, beam ", k, ", delta 1.5, M 5, n = ", n,
                            " segments (", n * k, " rows), ", rounds, " rounds"),
               {"schedule", "steps", "row-steps", "rows/step", "occupancy", "expansions",
                "self padding", "cross padding", "decode s", "x VAR-BATCH"});
  for (size_t i = 0; i < schedules.size(); ++i) {
    const RunResult& r = first[i];
    report.Row({schedules[i].name, Cell(r.steps), Cell(r.row_steps), Cell(r.RowsPerStep(), 1),
                Percent(r.Occupancy(n * k)), Counted(r.expansions), Padding(r.self),
                Padding(r.cross), Cell(Median(seconds[i]), 2), Cell(Median(ratios[i]), 3)});
  }
  return report.Identical(absl::StrCat("n-best of all ", tasks.size(), " texts under all ",
                                       schedules.size(), " schedules"),
                          equal);
}

}  // namespace dragoman::bench
