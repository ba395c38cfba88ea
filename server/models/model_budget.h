// Divides the machine among the models that are served: processors, memory of the host, memory of
// each GPU.
//
// Pure functions. A model's own settings are taken as they are; what they leave open is divided
// evenly among the models that leave it open. Whether a model with the device `auto` is on GPUs is
// for others to decide first: OnDevices makes its settings say it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/api/devices.h"
#include "server/settings/config.h"

namespace dragoman::server {

inline constexpr int64_t kMiB = int64_t{1} << 20;

// Where a model runs, and in which numbers: decided before the machine is divided.
struct DevicePlan {
  engine::DeviceChoice devices;
  // The model's own: some are not served in the GPUs' usual type.
  kernels::ComputeType compute_type = kernels::ComputeType::kFloat32;
  std::string compute_type_because;
};

// The settings with the devices of `plan` by name, as the functions below count them.
ModelSettings OnDevices(ModelSettings model, const DevicePlan& plan);

// The share of one model.
struct ModelShare {
  absl::StatusOr<DevicePlan> plan = DevicePlan();  // an error: the model cannot be loaded, and why
  int cpus = 1;                                    // for workers, and text beside them
  int text_cpus = 1;                               // from which the number of text threads follows
  // The first of them among all processors; beyond the last one: they are shared with other models.
  int first_cpu = 0;
  int cpus_per_cache = 0;  // that share a last level of cache; 0 or 1: not known
  // The fraction of a GPU's memory that may be in use once the model has taken its own.
  double device_memory_fraction = 0.9;
  // Memory of the host that is not this model's.
  int64_t host_bytes_of_loaded = 0;   // loaded models, an older version of this one among them
  int64_t host_bytes_of_to_come = 0;  // see HostBytesToCome
  int64_t host_bytes_of_serving = 0;
  // The part of host_bytes_of_serving that is held without any call; and the part that is held
  // while the model is loaded, which is all of it once calls are taken.
  int64_t host_bytes_of_process = 0;
  int64_t host_bytes_of_serving_now = 0;
};

// Processors for each model, at least one: those with cpu-workers and threads-per-worker have the
// product, models on GPUs one; the rest is divided, and the first models get what is left
// over. If there are more models than processors, they share them: an idle worker takes no time.
std::vector<int> DivideCpus(int cpus, const std::vector<ModelSettings>& models);

// Processors from which the number of each model's text threads follows: as above, but models on
// GPUs share all of them. With one tokenizer and one detokenizer thread an H200 did 12,000
// texts a second of 25,000 (tests/gpu/README.md).
std::vector<int> DivideTextCpus(int cpus, const std::vector<ModelSettings>& models);

// device_memory_fraction for each model, when they are loaded in this order. Models that may meet
// on a GPU share `fraction` of it: those with a fraction of their own have that, the others the
// rest in equal parts. INVALID_ARGUMENT with the sum if that leaves nothing, or is above 1.
absl::StatusOr<std::vector<double>> DivideDeviceMemory(const std::vector<ModelSettings>& models,
                                                       double fraction);

// The order in which models are loaded at the start, as indexes: models with a given size of K/V
// come first, because the K/V of the others take what is left.
std::vector<size_t> LoadOrder(const std::vector<ModelSettings>& models);

// The bytes that `model` leaves to the models to come, of `left` bytes of the host's memory (0 or
// less: there are none): the K/V of given sizes, and an equal part of the rest for each without a
// size.
int64_t HostBytesToCome(int64_t left, const ModelSettings& model,
                        const std::vector<ModelSettings>& to_come);

}  // namespace dragoman::server
