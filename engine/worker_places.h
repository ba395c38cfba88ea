// The places in which a loaded model runs: CPU or GPUs, as EngineConfig says. Private to engine/.
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

// Workers of one backend.
struct WorkerPlace {
  std::shared_ptr<const Backend> backend;
  int workers = 1;
  std::vector<std::vector<int>> cpus = {};  // of each worker; none: wherever the system puts them
};

// On the CPU: threads that all its workers together, and those that one of a place's workers may
// have at once, which are none of other nodes.
int CoresOf(const EngineConfig& config);
int MostThreadsOfWorker(const EngineConfig& config, const WorkerPlace& place);

// The configuration of every worker's batch.
BatchConfig BatchConfigOf(const ModelSpec& spec, const EngineConfig& config);

// The configuration of a worker on the GPU `device`.
CudaBackendConfig CudaConfigOf(int device, const ModelSpec& spec, const EngineConfig& config);

// The type of a model's weights on these GPUs. float16 gives way where a model's activations do not
// fit and it was not asked for: to bfloat16, or to float32 where a device has no bfloat16 in its
// tensor cores (before 8.0). *why says so, "" where nothing gave way; it may be nullptr.
kernels::ComputeType GpuTypeFor(const DeviceChoice& devices, const Program& program,
                                std::string* why);

// A model as GPUs take it: an ensemble is one program.
struct DeviceNetwork {
  Program program;
  WeightImage image;
};

// The network as GPUs run it. UNIMPLEMENTED for an ensemble whose members cannot share pages.
absl::StatusOr<Program> GpuProgramOf(const EngineConfig& config, const LoadedModel& loaded);

// In GpuTypeFor, which loaded->notes explain. Takes the weights out of `loaded`. UNIMPLEMENTED for a
// model that GPUs do not take.
absl::StatusOr<DeviceNetwork> DeviceNetworkOf(const EngineConfig& config, LoadedModel* loaded);

// The model of a directory, or the ensemble of it and what config.ensemble names.
absl::StatusOr<LoadedModel> LoadFor(const std::string& model_directory,
                                    const EnsembleChoice& ensemble, TokenizerChoice tokenizer,
                                    LoadContext* load);

// Whether the devices take what the configuration asks for, as far as that can be told before the
// model is read. UNIMPLEMENTED: a shortlist on GPUs.
absl::Status CheckDevicesTake(const EngineConfig& config);

// The shortlist that the model of this directory is to have; nullptr without one. What becomes of it is
// noted in `loaded`. UNIMPLEMENTED for what has none, and errors as ReadMarianShortlist.
absl::StatusOr<std::shared_ptr<const LexicalShortlist>> ShortlistFor(
    const std::string& model_directory, const EngineConfig& config, LoadedModel* loaded,
    LoadContext* load);

// The host's memory that the weights of all members take, on each of its nodes; for GPUs while they
// are loaded.
int64_t HostWeightBytes(const EngineConfig& config, const LoadedModel& loaded);

// Packs the weights for each place and takes them out of `loaded`: one place for each GPU, or for
// each node of memory that config.placement names, on that node's processors. UNIMPLEMENTED when a
// device does not take the model.
absl::StatusOr<std::vector<WorkerPlace>> CreatePlaces(const EngineConfig& config,
                                                      LoadedModel* loaded);

}  // namespace dragoman::engine
