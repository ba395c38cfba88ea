#include "engine/worker_places.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/decode/cpu_backend.h"
#include "engine/decode/cpu_model.h"
#include "engine/decode/cpu_profile.h"
#include "engine/decode/cuda/cuda_backend.h"
#include "engine/decode/cuda/weight_image.h"

namespace dragoman {
namespace {

CudaBackendConfig CudaConfigOf(int device, const ModelSpec& spec, const EngineConfig& config) {
  return {device, config.device_memory_fraction, BatchConfigOf(spec, config),
          spec.generation.num_beams};
}

absl::StatusOr<WeightImage> ImageFor(const LoadedModel& loaded, const EngineConfig& config) {
  if (absl::Status status = CheckCudaModel(loaded.program); !status.ok()) return status;
  return MakeWeightImage(loaded.program, loaded.weights, config.devices.compute_type);
}

}  // namespace

int CoresOf(const EngineConfig& config) {
  return std::max(config.workers, 1) * std::max(config.threads_per_worker, 1);
}

int MostThreadsOfWorker(const EngineConfig& config) {
  // More threads hardly get weights out of memory faster, and have more to agree about.
  constexpr int kUsuallyMost = 8;
  const int most = config.max_threads_per_worker > 0
                       ? config.max_threads_per_worker
                       : std::max(config.threads_per_worker, kUsuallyMost);
  return std::min(most, CoresOf(config));
}

BatchConfig BatchConfigOf(const ModelSpec& spec, const EngineConfig& config) {
  BatchConfig batch;
  batch.max_rows = config.max_rows;
  batch.lanes = config.scheduler.lanes;
  batch.max_positions = spec.shape.max_positions + 1;
  batch.start_token = spec.tokens.decoder_start;
  batch.vocabulary = spec.shape.target_vocab;
  return batch;
}

absl::StatusOr<std::vector<WorkerPlace>> CreatePlaces(const EngineConfig& config,
                                                      LoadedModel* loaded) {
  std::vector<WorkerPlace> places;
  if (config.devices.cuda.empty()) {
    absl::StatusOr<std::shared_ptr<const StepModel>> model =
        CreateCpuModel(loaded->program, std::exchange(loaded->weights, {}),
                       config.devices.compute_type, CoresOf(config));
    if (!model.ok()) return model.status();
    places.push_back({CreateCpuBackend(*std::move(model)), config.workers});
    return places;
  }
  const absl::StatusOr<WeightImage> image = ImageFor(*loaded, config);
  if (!image.ok()) return image.status();
  loaded->weights = {};
  for (const int device : config.devices.cuda) {
    absl::StatusOr<std::shared_ptr<const Backend>> backend =
        CreateCudaBackend(CudaConfigOf(device, loaded->spec, config), loaded->program, *image);
    if (!backend.ok()) return backend.status();
    places.push_back({*std::move(backend), 1});
  }
  return places;
}

absl::StatusOr<std::string> DescribeNetwork(const std::string& model_directory) {
  const absl::StatusOr<LoadedModel> loaded = LoadModel(model_directory);
  if (!loaded.ok()) return loaded.status();
  return ProgramText(loaded->program);
}

absl::StatusOr<std::string> ProfileSteps(const std::string& model_directory,
                                         const EngineConfig& config, int steps,
                                         const Clock* clock) {
  if (config.devices.cuda.size() > 1) {
    return absl::InvalidArgumentError(absl::StrCat("profile-steps: found the device ",
                                                   DeviceNames(config.devices),
                                                   ", expected the CPU or one CUDA device"));
  }
  absl::StatusOr<LoadedModel> loaded = LoadModel(model_directory);
  if (!loaded.ok()) return loaded.status();
  if (config.devices.cuda.empty()) {
    return ProfileCpuSteps({BatchConfigOf(loaded->spec, config), config.devices.compute_type,
                            std::max(config.threads_per_worker, 1)},
                           loaded->program, std::move(loaded->weights), steps, clock);
  }
  const absl::StatusOr<WeightImage> image = ImageFor(*loaded, config);
  if (!image.ok()) return image.status();
  return ProfileCudaSteps(CudaConfigOf(config.devices.cuda.front(), loaded->spec, config),
                          loaded->program, *image, steps);
}

}  // namespace dragoman
