#include "engine/worker_places.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/on_cpus.h"
#include "engine/base/out_of_memory.h"
#include "engine/decode/backend.h"
#include "engine/decode/cpu_model.h"
#include "engine/decode/cuda/device_shapes.h"
#include "engine/decode/ensemble_model.h"
#include "engine/decode/packed_program.h"
#include "engine/model/layouts/ensemble_source.h"
#include "engine/model/layouts/marian/directory.h"
#include "engine/page_plans.h"

namespace dragoman::engine {
namespace {

// The workers of a NUMA node, or all workers if the configuration places none.
struct NodeWorkers {
  int count = 0;
  std::vector<std::vector<int>> cpus;  // processors of each worker; empty: any
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

std::vector<EnsembleNetwork> MembersOf(const EngineConfig& config, const LoadedModel& loaded) {
  std::vector<EnsembleNetwork> networks;
  const auto add = [&](const Program& program, std::shared_ptr<const Weights> weights) {
    const auto& of_members = config.ensemble.weights;
    const double weight = of_members.empty() ? 1 : of_members[networks.size()];
    networks.push_back({program, std::move(weights), weight});
  };
  add(loaded.program, loaded.weights);
  for (const LoadedNetwork& other : loaded.others) add(other.program, other.weights);
  return networks;
}

void ReleaseWeights(LoadedModel* loaded) {
  loaded->weights = nullptr;
  for (LoadedNetwork& other : loaded->others) other.weights = nullptr;
}

absl::StatusOr<std::shared_ptr<const StepModel>> PackForCpu(const EngineConfig& config,
                                                            const LoadedModel& loaded, int cores) {
  const kernels::ComputeType type = config.devices.compute_type;
  if (loaded.others.empty()) {
    return CreateCpuModel(loaded.program, *loaded.weights, type, cores, nullptr,
                          config.lexical_shortlist);
  }
  return CreateCpuEnsemble(MembersOf(config, loaded), config.ensemble.mean, type, cores);
}

absl::StatusOr<std::vector<WorkerPlace>> CreateCpuPlaces(const EngineConfig& config,
                                                         LoadedModel* loaded) {
  absl::StatusOr<std::vector<NodeWorkers>> nodes = WorkersByNode(config);
  if (!nodes.ok()) return nodes.status();
  std::vector<WorkerPlace> places;
  for (NodeWorkers& node : *nodes) {
    absl::StatusOr<std::shared_ptr<const StepModel>> model = absl::InternalError("not packed");
    const absl::Status on_node = OnCpus(
        node.all_cpus, [&] { model = PackForCpu(config, *loaded, CoresOf(config, node.count)); });
    if (!on_node.ok()) return on_node;
    if (!model.ok()) return model.status();
    places.push_back({CreateCpuBackend(*std::move(model)), node.count, std::move(node.cpus)});
  }
  ReleaseWeights(loaded);
  return places;
}

}  // namespace

int CoresOf(const EngineConfig& config) { return CoresOf(config, config.workers); }

int MostThreadsOfWorker(const EngineConfig& config, const WorkerPlace& place) {
  // More threads than this hardly read the weights faster, and take longer to synchronize.
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

CudaBackendConfig CudaConfigOf(int device, const ModelSpec& spec, const EngineConfig& config) {
  return {device, config.device_memory_fraction, BatchConfigOf(spec, config),
          spec.generation.num_beams, config.cuda};
}

kernels::ComputeType GpuTypeFor(const DeviceChoice& devices, const Program& program,
                                std::string* why) {
  // The lowest compute capability (8.0) whose tensor cores multiply bfloat16.
  constexpr int kBFloat16Since = 80;
  const bool was_asked = devices.type_note.empty();
  if (devices.compute_type != kernels::ComputeType::kFloat16 || program.fits_float16 || was_asked) {
    return devices.compute_type;
  }
  const bool narrow = devices.least_capability == 0 || devices.least_capability >= kBFloat16Since;
  const kernels::ComputeType type =
      narrow ? kernels::ComputeType::kBFloat16 : kernels::ComputeType::kFloat32;
  if (why == nullptr) return type;
  *why = absl::StrCat("served in ", kernels::ComputeTypeName(type),
                      ": activations of this model are beyond the range of float16");
  if (!narrow) {
    absl::StrAppend(why, ", and a GPU of compute capability ", devices.least_capability / 10, ".",
                    devices.least_capability % 10,
                    " has no bfloat16 in its tensor cores (8.0 and newer have)");
  }
  return type;
}

absl::StatusOr<Program> GpuProgramOf(const EngineConfig& config, const LoadedModel& loaded) {
  if (loaded.others.empty()) return loaded.program;
  return JoinPrograms(MembersOf(config, loaded), config.ensemble.mean);
}

absl::StatusOr<DeviceNetwork> DeviceNetworkOf(const EngineConfig& config, LoadedModel* loaded) {
  absl::StatusOr<Program> program = GpuProgramOf(config, *loaded);
  if (!program.ok()) return program.status();
  DeviceNetwork network{*std::move(program), {}};
  std::shared_ptr<const Weights> weights = loaded->weights;
  if (!loaded->others.empty()) {
    weights = std::make_shared<const JoinedWeights>(MembersOf(config, *loaded));
  }
  if (absl::Status status = CheckCudaModel(network.program); !status.ok()) return status;
  std::string why;
  const kernels::ComputeType type = GpuTypeFor(config.devices, network.program, &why);
  if (!why.empty()) loaded->notes.push_back(std::move(why));
  absl::StatusOr<WeightImage> image = MakeWeightImage(network.program, *weights, type);
  if (!image.ok()) return image.status();
  network.image = *std::move(image);
  ReleaseWeights(loaded);
  return network;
}

int64_t HostWeightBytes(const EngineConfig& config, const LoadedModel& loaded) {
  const auto bytes_of = [&](const Program& program) {
    return config.devices.cuda.empty()
               ? CpuWeightBytes(program, config.devices.compute_type)
               : WeightImageBytes(program, GpuTypeFor(config.devices, program, nullptr));
  };
  int64_t bytes = bytes_of(loaded.program);
  for (const LoadedNetwork& other : loaded.others) bytes += bytes_of(other.program);
  return bytes;
}

absl::StatusOr<std::vector<WorkerPlace>> CreatePlaces(const EngineConfig& config,
                                                      LoadedModel* loaded) {
  if (config.devices.cuda.empty()) return CreateCpuPlaces(config, loaded);
  std::vector<WorkerPlace> places;
  const absl::StatusOr<DeviceNetwork> network = DeviceNetworkOf(config, loaded);
  if (!network.ok()) return network.status();
  for (const int device : config.devices.cuda) {
    absl::StatusOr<std::shared_ptr<const Backend>> backend = CreateCudaBackend(
        CudaConfigOf(device, loaded->spec, config), network->program, network->image);
    if (!backend.ok()) return backend.status();
    const BackendInfo& info = (*backend)->info();
    for (const std::string& note : info.notes) {
      loaded->notes.push_back(absl::StrCat(info.device, ": ", note));
    }
    places.push_back({*std::move(backend), 1});
  }
  return places;
}

absl::StatusOr<LoadedModel> LoadFor(const std::string& model_directory,
                                    const EnsembleChoice& ensemble, TokenizerChoice tokenizer,
                                    LoadContext* load) {
  if (ensemble.directories.empty()) return LoadModel(model_directory, tokenizer, load);
  const size_t members = ensemble.directories.size() + 1;
  if (!ensemble.weights.empty() && ensemble.weights.size() != members) {
    return absl::InvalidArgumentError(absl::StrCat("ensemble-weights: found ",
                                                   ensemble.weights.size(), " weights, expected ",
                                                   members, ", one for each member"));
  }
  std::vector<std::string> directories{model_directory};
  directories.insert(directories.end(), ensemble.directories.begin(), ensemble.directories.end());
  return LoadEnsemble(directories, tokenizer, load);
}

absl::Status CheckDevicesTake(const EngineConfig& config) {
  if (config.devices.cuda.empty()) return absl::OkStatus();
  if (!config.lexical_shortlist) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("lexical-shortlist: found the device ", DeviceNames(config.devices),
                   ", expected the CPU: shortlists are used nowhere else"));
}

absl::StatusOr<GpuFit> FitToGpus(const std::string& model_directory, const EngineConfig& config,
                                 LoadContext* load) {
  GpuFit fit;
  if (const absl::Status status = CheckDevicesTake(config); !status.ok()) {
    fit.why_not = std::string(status.message());
    return fit;
  }
  LoadContext own;
  if (load == nullptr) load = &own;
  LimitLoad(config, &load->memory());
  const absl::StatusOr<LoadedModel> loaded = OrOutOfMemory(
      "reading the model in " + model_directory,
      [&] { return LoadFor(model_directory, config.ensemble, config.tokenizer, load); });
  if (!loaded.ok()) return loaded.status();
  const absl::StatusOr<Program> program = GpuProgramOf(config, *loaded);
  // Does not call CheckCudaModel, because it would also check that this build has CUDA. The choice
  // of the devices has checked that already.
  const absl::Status taken = program.ok() ? CheckDeviceShapes(*program) : program.status();
  if (!taken.ok()) {
    fit.why_not = std::string(taken.message());
    return fit;
  }
  fit.compute_type = GpuTypeFor(config.devices, *program, &fit.type_note);
  return fit;
}

absl::StatusOr<std::shared_ptr<const LexicalShortlist>> ShortlistFor(
    const std::string& model_directory, const EngineConfig& config, LoadedModel* loaded,
    LoadContext* load) {
  if (!config.lexical_shortlist) {
    if (loaded->names_shortlist) {
      loaded->notes.emplace_back("the configuration names a shortlist, which is not used");
    }
    return nullptr;
  }
  const auto refuse = [](const auto&... what) {
    return absl::UnimplementedError(absl::StrCat("lexical-shortlist: found ", what...));
  };
  if (!loaded->others.empty()) return refuse("an ensemble, expected one model");
  if (loaded->layout != kMarianLayout.name) {
    return refuse("a model in the layout ", loaded->layout,
                  ", expected Marian's files, which have a shortlist, lex.*.bin, beside them");
  }
  absl::StatusOr<LexicalShortlist> read = ReadMarianShortlist(model_directory, *loaded, load);
  if (!read.ok()) {
    return absl::Status(read.status().code(),
                        absl::StrCat("lexical-shortlist: ", read.status().message()));
  }
  return std::make_shared<const LexicalShortlist>(*std::move(read));
}

absl::StatusOr<std::string> DescribeNetwork(const std::string& model_directory,
                                            const EnsembleChoice& ensemble) {
  const absl::StatusOr<LoadedModel> loaded =
      LoadFor(model_directory, ensemble, TokenizerChoice::kAuto, nullptr);
  if (!loaded.ok()) return loaded.status();
  std::string text = ProgramText(loaded->program);
  for (const LoadedNetwork& other : loaded->others) {
    absl::StrAppend(&text, "\n", ProgramText(other.program));
  }
  return text;
}

}  // namespace dragoman::engine
