// Divides the machine among the served models: processors, host memory and the memory of each GPU.
//
// Pure functions. A model gets what its own settings ask for. The models without such a setting
// share the rest evenly. The caller first decides on the devices of models with `auto` (OnDevices).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/api/create_engine.h"
#include "engine/api/devices.h"
#include "server/settings/config.h"

namespace dragoman::server {

inline constexpr int64_t kMiB = int64_t{1} << 20;

struct DevicePlan {
  engine::DeviceChoice devices;
  // The compute type of this model. Some models cannot use the usual type of the GPUs.
  kernels::ComputeType compute_type = kernels::ComputeType::kFloat32;
  std::string compute_type_because;
};

// Returns the settings with the devices of `plan`, as the functions below expect them.
ModelSettings OnDevices(ModelSettings model, const DevicePlan& plan);

struct ModelShare {
  absl::StatusOr<DevicePlan> plan = DevicePlan();  // an error: why the model cannot be loaded
  int cpus = 1;                                    // processors for workers and text threads
  int text_cpus = 1;                               // determines the number of text threads
  // The index of the model's first processor, among all processors. If there is no such processor,
  // the model shares its processors with other models.
  int first_cpu = 0;
  int cpus_per_cache = 0;  // processors that share a last-level cache; 0 or 1: unknown
  // The fraction of a GPU's memory that may be in use after this model is loaded.
  double device_memory_fraction = 0.9;
  // The host memory that this model must leave to others. The caller of the engine adds the limits.
  engine::HostMemory memory;
};

// Returns the number of processors of each model, at least 1. A model whose settings give
// cpu-workers and threads-per-worker gets the product of the two. A model on GPUs gets one. The
// other models share the rest evenly, and the first of them get the remainder. If there are more
// models than processors, models share processors.
std::vector<int> DivideCpus(int cpus, const std::vector<ModelSettings>& models);

// Returns the number of processors that determines each model's text threads. It is that of
// DivideCpus, except that the models on GPUs share all processors evenly. With one tokenizer and
// one detokenizer thread an H200 translated 12,000 instead of 25,000 texts a second
// (tests/gpu/README.md).
std::vector<int> DivideTextCpus(int cpus, const std::vector<ModelSettings>& models);

// Returns the device_memory_fraction of each model, if they are loaded in this order. Models that
// may be on the same GPU share `fraction` of its memory. A model whose settings give a fraction
// gets that fraction, and the other models share the rest evenly. INVALID_ARGUMENT with the sum if
// nothing is left for them, or if the given fractions add up to more than 1.
absl::StatusOr<std::vector<double>> DivideDeviceMemory(const std::vector<ModelSettings>& models,
                                                       double fraction);

// Returns the order of loading at the start, as indexes: first the models with a given KV cache
// size, because the others take the memory that is left.
std::vector<size_t> LoadOrder(const std::vector<ModelSettings>& models);

// Returns the number of bytes of host memory that `model` must leave to the models `to_come`, which
// are loaded after it. A model of `to_come` whose settings give a KV cache size needs this size. If
// `model` has no such setting, it shares the rest of `left` evenly with the models of `to_come`
// that have none either. `left` is the number of free bytes and may be negative.
int64_t HostBytesToCome(int64_t left, const ModelSettings& model,
                        const std::vector<ModelSettings>& to_come);

}  // namespace dragoman::server
