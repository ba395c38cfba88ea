// variants_bench [--json FILE]
//
// Runs every part of variants_bench.h on cuda:0, one after the other, and prints next to it the
// values of the papers and the acceptance bounds (tests/bench/details/claims.md, "Claims of the
// papers"). The last line is 'N passed, N failed': a part passes if it was measured. If there is no
// GPU, says so and passes nothing.
#include "tests/gpu/variants/variants_bench.h"

#include <cstdio>
#include <fstream>
#include <string>

#include "kernels/cuda/device.h"
#include "tests/bench/arguments.h"

namespace dragoman::bench {
namespace {

using nlohmann::json;

struct Part {
  const char* name;
  const char* what;
  // The papers' measurements on their hardware, given as production / variant where possible.
  const char* paper;
  const char* bound;
  absl::StatusOr<json> (*run)();
};

constexpr Part kParts[] = {
    {"sweeps",
     "materialized logits: one pass, against bias, maximum, sum, normalise and k searches",
     "b1: 0.23 (k = 1), 0.43 (k = 5); b2: 0.36 (k = 5)", "<= 0.30 (k = 1), <= 0.50 (k = 5)",
     SweepVariant},
    {"reorder", "self-attention of a step: ancestry, against K/V copied on reorder",
     "e1, the cache as a whole: 0.69 (5.6 -> 8.1 samples/s, a whole program)", "< 1",
     ReorderVariant},
    {"cross", "cross-attention of a step: K/V once per sentence, against once per hypothesis",
     "e2, memory of all caches: 0.29 (6.3 -> 1.8 GB)", "bytes 1 / beam", CrossVariant},
    {"bans", "no_repeat_ngram 3: asked on the device, against the host and back",
     "e3: 0.0017 (7.8 ms against 4477 ms), 0.013 (against 585 ms)", "<= 0.033 at 128 hypotheses",
     BanVariant}};

}  // namespace

json VariantLine(int64_t rows, double production_seconds, double variant_seconds) {
  const double ratio = production_seconds / variant_seconds;
  std::printf("%8d %14.1f %14.1f %8.3f\n", static_cast<int>(rows), production_seconds * 1e6,
              variant_seconds * 1e6, ratio);
  return {{"rows", rows},
          {"production_seconds", production_seconds},
          {"variant_seconds", variant_seconds},
          {"ratio", ratio}};
}

int Main(const std::string& json_path) {
  std::string why;
  if (kernels::cuda::DeviceCount(&why) == 0) {
    std::printf("skipped variants_bench: no CUDA device: %s\n0 passed, 0 failed\n", why.c_str());
    return 0;
  }
  json report;
  int passed = 0;
  int failed = 0;
  for (const Part& part : kParts) {
    std::printf("%s\n  papers: %s; bound: %s\n%8s %14s %14s %8s\n", part.what, part.paper,
                part.bound, "rows", "production us", "variant us", "ratio");
    const auto lines = part.run();
    if (!lines.ok()) {
      std::printf("FAILED %s: %s\n", part.name, std::string(lines.status().message()).c_str());
      ++failed;
      continue;
    }
    report[part.name] = {
        {"what", part.what}, {"paper", part.paper}, {"bound", part.bound}, {"lines", *lines}};
    ++passed;
  }
  if (!json_path.empty()) std::ofstream(json_path) << report.dump(1) << "\n";
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace dragoman::bench

int main(int argc, char** argv) {
  dragoman::bench::Arguments arguments(argc, argv, 1);
  const std::string json_path = arguments.Text("json", "");
  arguments.RefuseOthers();
  return dragoman::bench::Main(json_path);
}
