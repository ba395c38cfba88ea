// Creates the places in which a loaded model runs. A place is a GPU, a NUMA node of the host, or
// the complete host. Private to engine/.
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

// A place: a backend and its workers.
struct WorkerPlace {
  std::shared_ptr<const Backend> backend;
  int workers = 1;
  std::vector<std::vector<int>> cpus = {};  // processors of each worker; empty: any
};

// CoresOf returns how many threads may compute for all CPU workers together. MostThreadsOfWorker
// returns how many of them may compute for one worker of `place` at a time. These are threads of
// the same place, so none is on another NUMA node.
int CoresOf(const EngineConfig& config);
int MostThreadsOfWorker(const EngineConfig& config, const WorkerPlace& place);

// Returns the configuration of the batch, which is the same for all workers.
BatchConfig BatchConfigOf(const ModelSpec& spec, const EngineConfig& config);

// Returns the configuration of a worker on the GPU `device`.
CudaBackendConfig CudaConfigOf(int device, const ModelSpec& spec, const EngineConfig& config);

// Returns the compute type of a model on these GPUs. This is devices.compute_type, with one
// exception: float16 that no setting asked for is replaced if the model's activations exceed its
// range. The replacement is bfloat16, or float32 if the tensor cores of a device do not support
// bfloat16 (compute capability below 8.0). *why is then set to the reason. `why` may be nullptr.
kernels::ComputeType GpuTypeFor(const DeviceChoice& devices, const Program& program,
                                std::string* why);

// A model in the form that GPUs run. An ensemble is merged into one program.
struct DeviceNetwork {
  Program program;
  WeightImage image;
};

// Returns the program that GPUs run. Returns UNIMPLEMENTED if the members of an ensemble cannot
// share pages.
absl::StatusOr<Program> GpuProgramOf(const EngineConfig& config, const LoadedModel& loaded);

// Converts the weights to the type that GpuTypeFor returns. Adds the reason that GpuTypeFor gives,
// if any, to loaded->notes. Releases the weights of `loaded`. Returns UNIMPLEMENTED for a model
// that GPUs do not support.
absl::StatusOr<DeviceNetwork> DeviceNetworkOf(const EngineConfig& config, LoadedModel* loaded);

// Loads the model of a directory. If `ensemble` names further directories, loads the ensemble.
absl::StatusOr<LoadedModel> LoadFor(const std::string& model_directory,
                                    const EnsembleChoice& ensemble, TokenizerChoice tokenizer,
                                    LoadContext* load);

// Checks that the devices support the configuration, as far as this is known before the model is
// read. Returns UNIMPLEMENTED for a lexical shortlist on GPUs.
absl::Status CheckDevicesTake(const EngineConfig& config);

// Reads the model's lexical shortlist. If the configuration does not ask for it, returns nullptr,
// and adds a note to loaded->notes if the model has one. Returns UNIMPLEMENTED for an ensemble or a
// model that is not in Marian's files, and the errors of ReadMarianShortlist.
absl::StatusOr<std::shared_ptr<const LexicalShortlist>> ShortlistFor(
    const std::string& model_directory, const EngineConfig& config, LoadedModel* loaded,
    LoadContext* load);

// Returns how many bytes of host memory the converted weights take. For the CPU, this is the size
// of one copy, and each NUMA node has a copy. For GPUs, the memory is in use only during the load.
int64_t HostWeightBytes(const EngineConfig& config, const LoadedModel& loaded);

// Packs the weights for each place and releases the weights of `loaded`. Returns one place for each
// GPU, or on the CPU one place for each NUMA node of config.placement. The processors of a node
// pack the weights of its place. Returns UNIMPLEMENTED if a GPU does not support the model.
absl::StatusOr<std::vector<WorkerPlace>> CreatePlaces(const EngineConfig& config,
                                                      LoadedModel* loaded);

}  // namespace dragoman::engine
