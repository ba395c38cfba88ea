// Who gets how much of the machine where several models are served: processors, memory of the host,
// memory of each GPU.
//
// Pure functions. A model's own settings are taken as they are; what they leave open is divided
// evenly among the models that leave it open.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "server/settings/config.h"

namespace dragoman {

// What is there for one model.
struct ModelShare {
  int cpus = 1;            // for workers and text
  int first_cpu = 0;       // where these begin among all; beyond them: they are others' as well
  int cpus_per_cache = 0;  // that share a last level of cache, as far as that is known
  // Of a GPU's memory, that may be in use once the model has taken its own.
  double device_memory_fraction = 0.9;
  // Of the host's memory, what is not this model's.
  int64_t host_bytes_of_loaded = 0;   // models that are there, an older version among them
  int64_t host_bytes_of_to_come = 0;  // see HostBytesToCome
  int64_t host_bytes_of_serving = 0;
  // What of that there is while the model is loaded: the process, and all of it once calls are taken.
  int64_t host_bytes_of_process = 0;
  int64_t host_bytes_of_serving_now = 0;
};

// Processors for each model, at least one: those with cpu-workers and threads-per-worker have what
// that makes, models on named GPUs one for their text; the rest is divided, the first get what is
// left over. More models than processors share them: an idle worker takes no time.
std::vector<int> DivideCpus(int cpus, const std::vector<ModelSettings>& models);

// device_memory_fraction for each model, when they are loaded in this order. Models that may meet
// on a GPU share `fraction` of it: those with a fraction of their own have that, the others the
// rest in equal parts. INVALID_ARGUMENT with the sum if that leaves nothing, or is above 1.
absl::StatusOr<std::vector<double>> DivideDeviceMemory(const std::vector<ModelSettings>& models,
                                                       double fraction);

// In which order models are loaded at the start, as indexes: those whose K/V have a size first, for
// the others' K/V take what is left.
std::vector<size_t> LoadOrder(const std::vector<ModelSettings>& models);

// What `model` leaves to those that are to come, of `left` bytes of the host's memory (at most 0:
// there is none): the K/V of given sizes, and an equal part of the rest for each without a size.
int64_t HostBytesToCome(int64_t left, const ModelSettings& model,
                        const std::vector<ModelSettings>& to_come);

}  // namespace dragoman
