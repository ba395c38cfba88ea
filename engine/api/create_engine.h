// Makes the engine of a model directory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/api/cuda_options.h"
#include "engine/api/devices.h"
#include "engine/api/engine.h"
#include "engine/api/observer.h"
#include "engine/api/scheduler_options.h"
#include "engine/base/clock.h"
#include "engine/base/load_context.h"
#include "engine/base/tokenizer_choice.h"
#include "kernels/base/mean_kind.h"

namespace dragoman::engine {

// The part of the host's memory that the process may use. K/V whose size is set must fit into it;
// K/V without a set size are made to fit.
struct HostMemory {
  int64_t most = 0;     // that the process may hold in all; 0: not known, and nothing is checked
  std::string most_of;  // whose limit that is, for people
  int64_t now = 0;      // the same without what other processes hold now; 0: as `most`
  // The parts of it that are for others than this model.
  int64_t loaded_models = 0;  // an older version of it among them
  int64_t models_to_come = 0;
  int64_t reserved = 0;  // for what belongs to no model
  // The parts of it that are in use while this model is loaded: the process itself; and all of
  // `reserved`, once calls are taken for other models.
  int64_t process = 0;
  int64_t reserved_now = 0;
};

// Where a worker of the CPU runs: on these processors of a node of memory.
struct WorkerCpus {
  int node = 0;
  std::vector<int> cpus;
};

// Models to be decoded together with the one of the engine's directory: the mean of all their
// predictions is searched.
struct EnsembleChoice {
  std::vector<std::string> directories;  // of the others; none: there is one model
  std::vector<double> weights;           // of all, the engine's first, above 0; none: all the same
  kernels::MeanKind mean = kernels::MeanKind::kProbability;
};

struct EngineConfig {
  std::string model_name;  // "" = the directory's name
  EnsembleChoice ensemble;
  // Translations hold words of the model's lexical shortlist only. Of one model with Marian's files,
  // on the CPU.
  bool lexical_shortlist = false;
  TokenizerChoice tokenizer = TokenizerChoice::kAuto;
  DeviceChoice devices;                 // the CPU, or GPUs with one worker each
  double device_memory_fraction = 0.9;  // of a GPU's memory, that may be in use
  CudaOptions cuda;                     // of the GPUs
  int max_rows = 256;                   // of each worker
  int workers = 1;                      // of the CPU
  int threads_per_worker = 1;
  // One for each worker of the CPU, or none: wherever the system puts them. With several nodes each
  // has weights of its own.
  std::vector<WorkerCpus> placement;
  // With the cores that have no other work. 0: 8, or threads_per_worker if that is more.
  int max_threads_per_worker = 0;
  int tokenizer_threads = 1;
  int detokenizer_threads = 1;  // 0: the decode threads do it, for measurements
  int64_t max_queue_segments = 4096;
  int64_t max_queue_tokens = 131072;
  int64_t encoded_queue_segments = 256;    // of each worker
  int64_t kv_memory_mb = 0;                // over all workers; 0 = what max_rows needs usually
  HostMemory memory;                       // where K/V are in the host's memory
  Profile default_profile = Profile::kHf;  // of requests that name none
  std::string glossary_directory;          // "" = no named glossaries
  SchedulerOptions scheduler;              // of each worker
  Nanos watchdog = 30'000'000'000;         // without a step while rows are busy: stalled
  // Seeds of sampling requests that bring none. Called from any thread. Unset: std::random_device.
  std::function<uint64_t()> draw_seed;
};

// The fit of a model to GPUs.
struct GpuFit {
  std::string why_not;  // they do not take it, and why; "": they do
  // The numbers in which they serve it, and why these, "" where they are those of the choice.
  kernels::ComputeType compute_type = kernels::ComputeType::kFloat32;
  std::string type_note;
};

// Whether the GPUs of config.devices take the model of a directory: by what the configuration asks
// for, else by the network that the files describe. The weights are not converted, so it takes a
// fraction of the time of a load. Errors as CreateEngine's for files that cannot be read, and `load`
// as there.
// REQUIRES: config.devices are GPUs.
absl::StatusOr<GpuFit> FitToGpus(const std::string& model_directory, const EngineConfig& config,
                                 LoadContext* load = nullptr);

// Loads and warms the model up. `clock` and `observer` are borrowed for the engine's life; the
// observer may be called from the first Submit on. INVALID_ARGUMENT for a setting or a directory
// that cannot be used, RESOURCE_EXHAUSTED for memory, UNIMPLEMENTED for a model that the devices do
// not take, each with what was found and expected. `load` is borrowed for the call: it records the
// model's files, and CANCELLED follows its stop within seconds.
absl::StatusOr<std::unique_ptr<Engine>> CreateEngine(const std::string& model_directory,
                                                     const EngineConfig& config, const Clock* clock,
                                                     EngineObserver* observer,
                                                     LoadContext* load = nullptr);

// The network of a model, or those of an ensemble, in words: weights, buffers and operations, one on
// a line. Errors as CreateEngine's.
absl::StatusOr<std::string> DescribeNetwork(const std::string& model_directory,
                                            const EnsembleChoice& ensemble = {});

}  // namespace dragoman::engine
