#include "engine/profile/profile_steps.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "engine/profile/cpu_profile.h"
#include "engine/profile/cuda_profile.h"
#include "engine/worker_places.h"

namespace dragoman::engine {

absl::StatusOr<std::string> ProfileSteps(const std::string& model_directory,
                                         const EngineConfig& config, int steps,
                                         const Clock* clock) {
  if (config.devices.cuda.size() > 1) {
    return absl::InvalidArgumentError(absl::StrCat("profile: found the device ",
                                                   DeviceNames(config.devices),
                                                   ", expected the CPU or one CUDA device"));
  }
  if (!config.ensemble.directories.empty()) {
    return absl::InvalidArgumentError("profile: found an ensemble, expected one model");
  }
  if (config.lexical_shortlist) {
    return absl::InvalidArgumentError(
        "profile: found lexical-shortlist on, expected off: a step's words would be those of "
        "no source");
  }
  absl::StatusOr<LoadedModel> loaded = LoadModel(model_directory, config.tokenizer);
  if (!loaded.ok()) return loaded.status();
  if (config.devices.cuda.empty()) {
    return ProfileCpuSteps({BatchConfigOf(loaded->spec, config), config.devices.compute_type,
                            std::max(config.threads_per_worker, 1)},
                           loaded->program, *loaded->weights, steps, clock);
  }
  const absl::StatusOr<DeviceNetwork> network = DeviceNetworkOf(config, &*loaded);
  if (!network.ok()) return network.status();
  return ProfileCudaSteps(CudaConfigOf(config.devices.cuda.front(), loaded->spec, config),
                          network->program, network->image, steps);
}

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
  // Any token will do as EOS, because the search cannot choose it before the profile ends.
  options.eos = 0;
  return options;
}

}  // namespace dragoman::engine
