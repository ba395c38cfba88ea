#include "engine/worker_places.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/on_cpus.h"
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

// float16 gives way to bfloat16 where a model does not fit and nobody asked for it.
absl::StatusOr<WeightImage> ImageFor(const EngineConfig& config, LoadedModel* loaded) {
  if (absl::Status status = CheckCudaModel(loaded->program); !status.ok()) return status;
  ComputeType type = config.devices.compute_type;
  const bool was_asked = config.devices.type_note.empty();
  if (type == ComputeType::kFloat16 && !loaded->program.fits_float16 && !was_asked) {
    type = ComputeType::kBFloat16;
    loaded->notes.emplace_back(
        "served in bfloat16: activations of this model are beyond the range of float16");
  }
  return MakeWeightImage(loaded->program, loaded->weights, type);
}

// The workers of a node, or all.
struct NodeWorkers {
  int count = 0;
  std::vector<std::vector<int>> cpus;  // of each; none: anywhere
  std::vector<int> all_cpus;
};

absl::StatusOr<std::vector<NodeWorkers>> WorkersByNode(const EngineConfig& config) {
  if (config.placement.empty()) return std::vector<NodeWorkers>{{config.workers, {}, {}}};
  if (config.placement.size() != static_cast<size_t>(config.workers)) {
    return absl::InvalidArgumentError(absl::StrCat("placement: found ", config.placement.size(),
                                                   " places, expected ", config.workers,
                                                   ", one for each worker"));
  }
  std::map<int, NodeWorkers> nodes;
  for (const WorkerCpus& worker : config.placement) {
    NodeWorkers& node = nodes[worker.node];
    ++node.count;
    node.cpus.push_back(worker.cpus);
    node.all_cpus.insert(node.all_cpus.end(), worker.cpus.begin(), worker.cpus.end());
  }
  std::vector<NodeWorkers> by_node;
  for (auto& [number, node] : nodes) by_node.push_back(std::move(node));
  return by_node;
}

int CoresOf(const EngineConfig& config, int workers) {
  return std::max(workers, 1) * std::max(config.threads_per_worker, 1);
}

absl::StatusOr<std::vector<WorkerPlace>> CreateCpuPlaces(const EngineConfig& config,
                                                         LoadedModel* loaded) {
  absl::StatusOr<std::vector<NodeWorkers>> nodes = WorkersByNode(config);
  if (!nodes.ok()) return nodes.status();
  WeightValues weights = std::exchange(loaded->weights, {});
  std::vector<WorkerPlace> places;
  for (NodeWorkers& node : *nodes) {
    absl::StatusOr<std::shared_ptr<const StepModel>> model = absl::InternalError("not packed");
    // What some operation reads as it is has to be the node's too, so each of several has a copy.
    const bool is_only = nodes->size() == 1;
    const absl::Status on_node = OnCpus(node.all_cpus, [&] {
      model = CreateCpuModel(loaded->program, is_only ? std::move(weights) : weights,
                             config.devices.compute_type, CoresOf(config, node.count));
    });
    if (!on_node.ok()) return on_node;
    if (!model.ok()) return model.status();
    places.push_back({CreateCpuBackend(*std::move(model)), node.count, std::move(node.cpus)});
  }
  return places;
}

}  // namespace

int CoresOf(const EngineConfig& config) { return CoresOf(config, config.workers); }

int MostThreadsOfWorker(const EngineConfig& config, const WorkerPlace& place) {
  // More threads hardly get weights out of memory faster, and have more to agree about.
  constexpr int kUsuallyMost = 8;
  const int most = config.max_threads_per_worker > 0
                       ? config.max_threads_per_worker
                       : std::max(config.threads_per_worker, kUsuallyMost);
  return std::min(most, CoresOf(config, place.workers));
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
  if (config.devices.cuda.empty()) return CreateCpuPlaces(config, loaded);
  std::vector<WorkerPlace> places;
  const absl::StatusOr<WeightImage> image = ImageFor(config, loaded);
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
  const absl::StatusOr<WeightImage> image = ImageFor(config, &*loaded);
  if (!image.ok()) return image.status();
  return ProfileCudaSteps(CudaConfigOf(config.devices.cuda.front(), loaded->spec, config),
                          loaded->program, *image, steps);
}

}  // namespace dragoman
