#include "engine/profile/profiled_steps.h"

#include "absl/strings/str_cat.h"

namespace dragoman::engine {

absl::Status CheckProfile(const BatchConfig& batch, const Program& program, int steps) {
  const int most = batch.max_positions - kStepsBeforeProfile - 2;
  if (steps > most || batch.max_rows < kProfiledBeam) {
    return absl::InvalidArgumentError(absl::StrCat("profile: found ", steps, " steps of ",
                                                   batch.max_rows, " rows, expected at most ", most,
                                                   " of ", kProfiledBeam, " rows or more"));
  }
  if (program.max_positions < kProfiledSourceTokens) {
    return absl::InvalidArgumentError(absl::StrCat("profile: found a model of ",
                                                   program.max_positions, " positions, expected ",
                                                   kProfiledSourceTokens, " or more"));
  }
  return absl::OkStatus();
}

kernels::SearchOptions ProfiledSearch(int beam, int steps) {
  kernels::SearchOptions options;
  options.beam = beam;
  options.max_tokens = kStepsBeforeProfile + steps + 1;
  options.min_tokens = options.max_tokens;
  options.eos = 0;  // any token can be EOS: min_tokens excludes it during the profile
  return options;
}

}  // namespace dragoman::engine
