// Creates the places in which a loaded model runs: the CPU or GPUs. Private to engine/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/api/create_engine.h"
#include "engine/decode/backend.h"
#include "engine/decode/batch.h"
#include "engine/decode/cuda/cuda_backend.h"
#include "engine/decode/cuda/weight_image.h"
#include "engine/model/formats/lexical_shortlist.h"
#include "engine/model/layouts/model_source.h"
#include "engine/network/program.h"

namespace dragoman::engine {

// The workers of one backend.
struct WorkerPlace {
  std::shared_ptr<const Backend> backend;
  int workers = 1;
  std::vector<std::vector<int>> cpus = {};  // of each worker; empty: the system places them
};

// How many threads all CPU workers may use together, and how many one worker of a place may use. A
// worker uses no threads of other NUMA nodes.
int CoresOf(const EngineConfig& config);
int MostThreadsOfWorker(const EngineConfig& config, const WorkerPlace& place);

// Returns the configuration of every worker's batch.
BatchConfig BatchConfigOf(const ModelSpec& spec, const EngineConfig& config);

// Returns the configuration of a worker on the GPU `device`.
CudaBackendConfig CudaConfigOf(int device, const ModelSpec& spec, const EngineConfig& config);

// Returns the type of a model's weights on these GPUs. If the model's activations do not fit into
// float16 and the request did not name float16, the type is bfloat16, or float32 if a device has no
// bfloat16 in its tensor cores (before 8.0). *why, which may be nullptr, then gets the reason.
kernels::ComputeType GpuTypeFor(const DeviceChoice& devices, const Program& program,
                                std::string* why);

// A model in the form for GPUs. An ensemble is one program.
struct DeviceNetwork {
  Program program;
  WeightImage image;
};

// Returns the network as GPUs run it. UNIMPLEMENTED if members of an ensemble cannot share pages.
absl::StatusOr<Program> GpuProgramOf(const EngineConfig& config, const LoadedModel& loaded);

// Converts the weights to the type of GpuTypeFor, whose reason goes to loaded->notes, and releases
// the weights of `loaded`. UNIMPLEMENTED for a model that GPUs do not take.
absl::StatusOr<DeviceNetwork> DeviceNetworkOf(const EngineConfig& config, LoadedModel* loaded);

// Loads the model of a directory, or the ensemble of this model and those that `ensemble` names.
absl::StatusOr<LoadedModel> LoadFor(const std::string& model_directory,
                                    const EnsembleChoice& ensemble, TokenizerChoice tokenizer,
                                    LoadContext* load);

// Checks that the devices support the configuration, as far as this is known before the model is
// read. UNIMPLEMENTED for a shortlist on GPUs.
absl::Status CheckDevicesTake(const EngineConfig& config);

// Reads the model's shortlist; nullptr if the configuration does not ask for one. Notes an unused
// one in `loaded`. UNIMPLEMENTED for a model without one; otherwise as ReadMarianShortlist.
absl::StatusOr<std::shared_ptr<const LexicalShortlist>> ShortlistFor(
    const std::string& model_directory, const EngineConfig& config, LoadedModel* loaded,
    LoadContext* load);

// Returns the bytes of all weights on each NUMA node of the host; for GPUs, only during the load.
int64_t HostWeightBytes(const EngineConfig& config, const LoadedModel& loaded);

// Packs the weights for each place and releases those of `loaded`. A place is a GPU, or a NUMA node
// of config.placement, whose processors pack. UNIMPLEMENTED if a GPU does not take the model.
absl::StatusOr<std::vector<WorkerPlace>> CreatePlaces(const EngineConfig& config,
                                                      LoadedModel* loaded);

}  // namespace dragoman::engine
