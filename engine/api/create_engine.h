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

// The host's memory that the process may use, in bytes. K/V pages of a set size must fit into it.
// Otherwise their number is chosen so that they fit.
struct HostMemory {
  int64_t most = 0;     // limit of the process in all; 0: not known, and nothing is checked
  std::string most_of;  // whose limit `most` is, for messages
  int64_t now = 0;      // `most` without the memory that other processes use now; 0: same as `most`
  // Parts that this model must not use.
  int64_t loaded_models = 0;  // includes an older version of this model
  int64_t models_to_come = 0;
  int64_t reserved = 0;  // for the process and for requests
  // Parts in use during the load; reserved_now is all of `reserved` if other models take calls.
  int64_t process = 0;
  int64_t reserved_now = 0;
};

// The processors that a CPU worker runs on, and their NUMA node.
struct WorkerCpus {
  int node = 0;
  std::vector<int> cpus;
};

// An ensemble with the model of the engine's directory. The search uses the mean of predictions.
struct EnsembleChoice {
  std::vector<std::string> directories;  // of the other models; empty: no ensemble
  std::vector<double> weights;           // of all, the engine's first, above 0; empty: all equal
  kernels::MeanKind mean = kernels::MeanKind::kProbability;
};

struct EngineConfig {
  std::string model_name;  // "": the directory's name
  EnsembleChoice ensemble;
  // Limits translations to words of the lexical shortlist: for one model with Marian's files, CPU.
  bool lexical_shortlist = false;
  TokenizerChoice tokenizer = TokenizerChoice::kAuto;
  DeviceChoice devices;                 // the CPU, or GPUs with one worker each
  double device_memory_fraction = 0.9;  // of a GPU's memory that may be in use
  CudaOptions cuda;                     // of the GPUs
  int max_rows = 256;                   // of each worker
  int workers = 1;                      // of the CPU
  int threads_per_worker = 1;
  // One entry for each CPU worker; empty: the system places them. Each node has its own weights.
  std::vector<WorkerCpus> placement;
  // Includes helper threads on cores that have no other work. 0: max(8, threads_per_worker).
  int max_threads_per_worker = 0;
  int tokenizer_threads = 1;
  int detokenizer_threads = 1;  // 0: the decode threads detokenize, for measurements
  int64_t max_queue_segments = 4096;
  int64_t max_queue_tokens = 131072;
  int64_t encoded_queue_segments = 256;    // of each worker
  int64_t kv_memory_mb = 0;                // of all workers; 0: what max_rows usually needs
  HostMemory memory;                       // used if the K/V pages are in the host's memory
  Profile default_profile = Profile::kHf;  // of requests that name none
  std::string glossary_directory;          // "": no named glossaries
  SchedulerOptions scheduler;              // of each worker
  Nanos watchdog = 30'000'000'000;         // time without a step while rows are busy: stalled
  // Draws missing seeds of sampling requests. Must be thread-safe. Unset: std::random_device.
  std::function<uint64_t()> draw_seed;
};

// Says whether GPUs take a model.
struct GpuFit {
  std::string why_not;  // why the GPUs do not take the model; "": they take it
  // The type in which they serve the model, and why if it differs from the DeviceChoice.
  kernels::ComputeType compute_type = kernels::ComputeType::kFloat32;
  std::string type_note;
};

// Reports whether the GPUs of config.devices take the model of a directory, by the settings and
// then by the network that the files describe. Takes a fraction of the time of a load. Errors for
// unreadable files and `load` are as for CreateEngine. REQUIRES: config.devices are GPUs.
absl::StatusOr<GpuFit> FitToGpus(const std::string& model_directory, const EngineConfig& config,
                                 LoadContext* load = nullptr);

// Loads the model and warms it up. Borrows `clock` and `observer` for the engine's life; it may
// call the observer from the first Submit on. Borrows `load` for the call and records the model's
// files in it. Returns INVALID_ARGUMENT for a setting or directory that cannot be used,
// RESOURCE_EXHAUSTED for memory, and UNIMPLEMENTED for a model that the devices do not take, each
// with what was found and expected. Returns CANCELLED within seconds after `load` was stopped.
absl::StatusOr<std::unique_ptr<Engine>> CreateEngine(const std::string& model_directory,
                                                     const EngineConfig& config, const Clock* clock,
                                                     EngineObserver* observer,
                                                     LoadContext* load = nullptr);

// Lists weights, buffers and operations of a model or ensemble. Returns the errors of CreateEngine.
absl::StatusOr<std::string> DescribeNetwork(const std::string& model_directory,
                                            const EnsembleChoice& ensemble = {});

}  // namespace dragoman::engine
