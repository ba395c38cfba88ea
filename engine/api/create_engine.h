// Creates the engine of a model directory.
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

// How much of the host's memory the process may use, in bytes. The K/V pages must fit into it. If
// EngineConfig::kv_memory_mb does not set their size, the engine chooses a number of pages that
// fits.
struct HostMemory {
  int64_t most = 0;     // limit of the complete process; 0: not known, so nothing is checked
  std::string most_of;  // what sets the limit `most`, for error messages: "the machine"
  int64_t now = 0;      // `most` minus the memory that other processes use now; 0: same as `most`
  // The parts of `most` that this model must leave free.
  int64_t loaded_models = 0;   // used by loaded models, including an older version of this one
  int64_t models_to_come = 0;  // for models that are loaded after this one
  int64_t reserved = 0;        // for requests, and for the process without its models
  // The part of `reserved` that the process uses even without any request.
  int64_t process = 0;
  // The part of `reserved` that is in use during this load: `process` before the server accepts
  // calls, all of `reserved` after that.
  int64_t reserved_now = 0;
};

// The processors that a CPU worker runs on, and their NUMA node.
struct WorkerCpus {
  int node = 0;
  std::vector<int> cpus;
};

// Further models that form an ensemble with the model of the engine's directory. The search uses
// the mean of the predictions of all members.
struct EnsembleChoice {
  std::vector<std::string> directories;  // of the further models; empty: no ensemble
  // The weight of each model in the mean. The model of the engine's directory comes first. Each
  // weight is above 0. Empty: all weights are equal.
  std::vector<double> weights;
  kernels::MeanKind mean = kernels::MeanKind::kProbability;
};

struct EngineConfig {
  std::string model_name;  // "": the directory's name
  EnsembleChoice ensemble;
  // Limits translations to the words of Marian's lexical shortlist
  // (engine/model/formats/lexical_shortlist.h). Supported only on the CPU, and only for a single
  // model in Marian's file format.
  bool lexical_shortlist = false;
  TokenizerChoice tokenizer = TokenizerChoice::kAuto;
  DeviceChoice devices;                 // the CPU, or GPUs with one worker each
  double device_memory_fraction = 0.9;  // the most of a GPU's memory that may be in use
  CudaOptions cuda;                     // ignored on the CPU
  int max_rows = 256;                   // per worker: live hypotheses in a decoding step
  int workers = 1;                      // on the CPU; a GPU has one worker
  int threads_per_worker = 1;
  // One entry for each CPU worker. Each NUMA node gets its own copy of the weights. Empty: the
  // operating system places the threads.
  std::vector<WorkerCpus> placement;
  // The most threads that compute for one worker at a time, including helper threads on idle cores
  // (kernels/base/helper_threads.h). 0: max(8, threads_per_worker).
  int max_threads_per_worker = 0;
  int tokenizer_threads = 1;
  int detokenizer_threads = 1;  // 0: the decode threads detokenize, for measurements
  int64_t max_queue_segments = 4096;
  int64_t max_queue_tokens = 131072;
  int64_t encoded_queue_segments = 256;  // of each worker
  // K/V pages of all workers; 0: what max_rows usually needs
  int64_t kv_memory_mb = 0;
  HostMemory memory;                       // limits the load, and K/V pages on the host
  Profile default_profile = Profile::kHf;  // for requests that name no profile
  std::string glossary_directory;          // "": no named glossaries
  SchedulerOptions scheduler;              // of each worker
  // A worker with live rows that has made no step for this time counts as stalled.
  Nanos watchdog = 30'000'000'000;
  // Draws the seed of a sampling request that names none. Must be thread-safe. Unset: the engine
  // uses std::random_device.
  std::function<uint64_t()> draw_seed;
};

// Says whether the GPUs support a model.
struct GpuFit {
  std::string why_not;  // why the GPUs do not support the model; "": they do
  // The compute type in which the GPUs serve the model, and the reason if it is not the type of the
  // DeviceChoice.
  kernels::ComputeType compute_type = kernels::ComputeType::kFloat32;
  std::string type_note;
};

// Reports whether the GPUs of config.devices support the settings in `config` and the model of a
// directory. Reads the description of the network, not the weights, so it is much faster than a
// load. Treats unreadable files and `load` as CreateEngine does. REQUIRES: config.devices are GPUs.
absl::StatusOr<GpuFit> FitToGpus(const std::string& model_directory, const EngineConfig& config,
                                 LoadContext* load = nullptr);

// Loads the model and warms it up. Borrows `clock` and `observer` for the engine's life. Before the
// first Submit, the observer gets no event except OnError. Borrows `load` for the call and records
// the model's files in it. Errors say what was found and expected: * INVALID_ARGUMENT: a setting or
// the directory cannot be used. * RESOURCE_EXHAUSTED: there is not enough memory. * UNIMPLEMENTED:
// the devices do not support the model. * CANCELLED: `load` was stopped. CreateEngine returns
// within seconds after that.
absl::StatusOr<std::unique_ptr<Engine>> CreateEngine(const std::string& model_directory,
                                                     const EngineConfig& config, const Clock* clock,
                                                     EngineObserver* observer,
                                                     LoadContext* load = nullptr);

// Returns a text that lists the weights, buffers and operations of a model or ensemble. If the
// files cannot be read, returns the errors of CreateEngine.
absl::StatusOr<std::string> DescribeNetwork(const std::string& model_directory,
                                            const EnsembleChoice& ensemble = {});

}  // namespace dragoman::engine
