#include "server/process/engine_start.h"

#include <utility>

#include "engine/api/create_engine.h"
#include "engine/api/devices.h"
#include "server/base/log.h"
#include "server/process/engine_settings.h"
#include "server/process/memory_bound.h"
#include "server/process/memory_limit.h"

namespace dragoman {
namespace {

absl::StatusOr<DeviceChoice> Choose(const DeviceRequest& request) {
  const bool may_be_cuda = request.automatic || !request.cuda.empty();
  return ChooseDevices(request, may_be_cuda ? ProbeCuda() : CudaProbe{});
}

HostMemory HostMemoryFor(const ServerConfig& config) {
  const MemoryLimits limits = FindMemoryLimits("", ThreadStackBytes());
  HostMemory memory;
  memory.most = limits.most.bytes;
  memory.most_of = limits.most.source;
  memory.now = limits.now.bytes;
  memory.reserved = SumOf(ServingMemory(config));
  return memory;
}

void LogMemory(const ServerConfig& config, const HostMemory& host, const EngineStats& stats) {
  for (const DeviceMemory& memory : stats.memory) {
    Log(LogLevel::kInfo, "memory",
        {{"device", memory.device},
         {"name", memory.device_name},
         {"weight_bytes", memory.weights},
         {"kv_bytes", memory.kv},
         {"workspace_bytes", memory.workspace}});
  }
  const std::vector<MemoryPart> parts = MemoryBound(config, stats);
  LogFields fields = LogFields::object();
  for (const MemoryPart& part : parts) fields[part.name + "_bytes"] = part.bytes;
  fields["sum_bytes"] = SumOf(parts);
  fields["limit_bytes"] = host.most;
  fields["limit_of"] = host.most_of;
  Log(LogLevel::kInfo, "memory bound", fields);
  if (SumOf(parts) > host.most) {
    Log(LogLevel::kWarn, "memory bound above the limit",
        {{"sum_bytes", SumOf(parts)}, {"limit_bytes", host.most}, {"limit_of", host.most_of}});
  }
}

absl::StatusOr<std::unique_ptr<Engine>> Create(const ServerConfig& config, int cpus,
                                               const DeviceChoice& devices, const Clock* clock,
                                               EngineObserver* observer) {
  EngineConfig settings = MakeEngineConfig(config, cpus, devices);
  settings.memory = HostMemoryFor(config);
  Log(LogLevel::kInfo, "device",
      {{"device", DeviceNames(devices)},
       {"compute_type", ComputeTypeName(devices.compute_type)},
       {"compute_type_because", devices.type_note},
       {"max_rows", settings.max_rows},
       {"not_used", devices.note}});
  Log(LogLevel::kInfo, "workers",
      {{"cpus", cpus},
       {"workers", devices.cuda.empty() ? settings.workers : static_cast<int>(devices.cuda.size())},
       {"threads_per_worker", settings.threads_per_worker},
       {"tokenizer_threads", settings.tokenizer_threads},
       {"detokenizer_threads", settings.detokenizer_threads}});
  absl::StatusOr<std::unique_ptr<Engine>> engine =
      CreateEngine(config.model_directory, settings, clock, observer);
  if (!engine.ok()) return engine;
  for (const std::string& note : (*engine)->info().notes) {
    Log(LogLevel::kWarn, "model", {{"note", note}});
  }
  LogMemory(config, settings.memory, (*engine)->Stats());
  return engine;
}

}  // namespace

absl::Status CheckEngineSettings(const ServerConfig& config) {
  DeviceChoice devices;
  const DeviceRequest request = ConfiguredDevices(config);
  // Where the machine decides, the larger batch is supposed: the engine looks again.
  if (request.automatic) devices.cuda = {0};
  if (!request.cuda.empty()) devices.cuda = request.cuda;
  const EngineConfig engine = MakeEngineConfig(config, 1, devices);
  return CheckSchedulerOptions(engine.scheduler, engine.max_rows);
}

absl::StatusOr<std::unique_ptr<Engine>> StartEngine(const ServerConfig& config, int cpus,
                                                    const Clock* clock, EngineObserver* observer) {
  DeviceRequest request = ConfiguredDevices(config);
  absl::StatusOr<DeviceChoice> devices = Choose(request);
  if (!devices.ok()) return devices.status();
  absl::StatusOr<std::unique_ptr<Engine>> engine = Create(config, cpus, *devices, clock, observer);
  const bool unfit = !engine.ok() && engine.status().code() == absl::StatusCode::kUnimplemented;
  if (!unfit || !request.automatic || devices->cuda.empty()) return engine;
  const CudaProbe none{std::string(engine.status().message()), {}};
  devices = ChooseDevices(request, none);
  if (!devices.ok()) return devices.status();
  return Create(config, cpus, *devices, clock, observer);
}

absl::StatusOr<std::string> ProfileEngine(const ServerConfig& config, int cpus,
                                          const Clock* clock) {
  const absl::StatusOr<DeviceChoice> devices = Choose(ConfiguredDevices(config));
  if (!devices.ok()) return devices.status();
  Log(LogLevel::kInfo, "device", {{"device", DeviceNames(*devices)}, {"not_used", devices->note}});
  return ProfileSteps(config.model_directory, MakeEngineConfig(config, cpus, *devices),
                      config.profile_steps, clock);
}

}  // namespace dragoman
