#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/bench/search/report.h"
#include "tests/bench/search/run.h"
#include "tests/bench/search/schedules.h"
#include "tests/bench/search/subcommands.h"

namespace dragoman::bench {
namespace {

// Returns the share of steps in which fewer than `below` segments ran.
double ShareBelow(const RunResult& r, size_t below) {
  int64_t steps = 0;
  for (size_t i = 0; i < below && i < r.live.size(); ++i) steps += r.live[i];
  return static_cast<double>(steps) / static_cast<double>(r.steps);
}

bool Compare(Runner& runner, Report& report, const std::string& name,
             const std::vector<std::vector<int32_t>>& sources, int n, int k, int64_t rounds) {
  // Amun's search does not replace hypotheses that have ended.
  engine::DecodingOptions asked;
  asked.profile = engine::Profile::kMarian;
  asked.beam_size = k;
  const std::vector<Task> tasks = runner.model().Tasks(sources, asked);
  using R = engine::RefillRule;
  using O = engine::WindowOrder;
  const std::vector<Schedule> schedules = {
      {"mini-batches", OfSegments(R::kStatic, O::kArrival, n, k, n)},
      {"mini-batches, half-empty top-up", OfSegments(R::kHalfEmpty, O::kArrival, n, k, n)},
      {"mini-batches, continuous top-up", OfSegments(R::kContinuous, O::kArrival, n, k, n)},
      {"maxi-batches", OfSegments(R::kStatic, O::kLongestFirst, n, k, 10 * n)},
      {"maxi-batches, half-empty top-up",
       OfSegments(R::kHalfEmpty, O::kLongestFirst, n, k, 10 * n)},
      {"maxi-batches, continuous top-up",
       OfSegments(R::kContinuous, O::kLongestFirst, n, k, 10 * n)},
  };
  std::vector<RunResult> first;
  std::vector<std::vector<double>> ratios(schedules.size());
  std::vector<std::vector<double>> seconds(schedules.size());
  bool equal = true;
  for (int64_t round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < schedules.size(); ++i) {
      RunResult r = runner.Run(schedules[i].config, tasks);
      seconds[i].push_back(r.decode_seconds);
      ratios[i].push_back(r.decode_seconds / seconds[0].back());
      if (round == 0) {
        equal = equal && (i == 0 || FirstDifference(first[0], r) < 0);
        first.push_back(std::move(r));
      }
    }
  }
  double sum = 0;
  double squares = 0;
  for (const auto& source : sources) {
    const auto tokens = static_cast<double>(source.size());
    sum += tokens;
    squares += tokens * tokens;
  }
  const auto count = static_cast<double>(sources.size());
  const double mean = sum / count;
  report.Table(
      absl::StrCat(name, ": ", sources.size(), " texts of ", Cell(mean, 1).text,
                   " source tokens (sd ", Cell(std::sqrt(squares / count - mean * mean), 1).text,
                   "), beam ", k, ", n = ", n, " segments, ", rounds, " rounds"),
      {"schedule", "steps", "x mini", "row-steps", "occupancy", "all n live",
       "fewer than n/16 live", "decode s", "x mini"});
  for (size_t i = 0; i < schedules.size(); ++i) {
    const RunResult& r = first[i];
    report.Row({schedules[i].name, Cell(r.steps),
                Cell(static_cast<double>(r.steps) / static_cast<double>(first[0].steps), 3),
                Cell(r.row_steps), Percent(r.Occupancy(n * k)),
                Percent(1.0 - ShareBelow(r, static_cast<size_t>(n))),
                Percent(ShareBelow(r, static_cast<size_t>(n) / 16)), Cell(Median(seconds[i]), 2),
                Cell(Median(ratios[i]), 3)});
  }
  return report.Identical("n-best of " + name, equal);
}

}  // namespace

bool RunTopUp(Runner& runner, Arguments& arguments, Report& report) {
  const BenchModel& model = runner.model();
  const int k = static_cast<int>(arguments.Number("beam", 5));
  const int n = static_cast<int>(arguments.Number("segments", 64));
  const int64_t rounds = arguments.Number("rounds", 3);
  const auto one = InputSources(model, arguments, 640, 1, 1);
  const auto many = InputSources(model, arguments, 640, 1, 7);
  arguments.RefuseOthers();
  const bool short_equal = Compare(runner, report, "Short texts (1 line)", one, n, k, rounds);
  const bool long_equal = Compare(runner, report, "Long texts (1 to 7 lines)", many, n, k, rounds);
  return short_equal && long_equal;
}

}  // namespace dragoman::bench
