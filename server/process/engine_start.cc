#include "server/process/engine_start.h"

#include <limits>
#include <utility>

#include "engine/api/create_engine.h"
#include "engine/api/devices.h"
#include "server/base/log.h"
#include "server/process/cpu_topology.h"
#include "server/process/engine_settings.h"
#include "server/process/memory_limit.h"
#include "server/process/worker_plan.h"

namespace dragoman::server {
namespace {

absl::StatusOr<engine::DeviceChoice> Choose(const engine::DeviceRequest& request,
                                            const std::function<engine::CudaProbe()>& probe) {
  const bool may_be_cuda = request.automatic || !request.cuda.empty();
  return engine::ChooseDevices(request, may_be_cuda ? probe() : engine::CudaProbe{});
}

engine::HostMemory HostMemoryFor(const ModelShare& share) {
  const MemoryLimits limits = FindMemoryLimits("", share.memory.loaded_models, ThreadStackBytes());
  engine::HostMemory memory = share.memory;
  memory.most = limits.most.bytes;
  memory.most_of = limits.most.source;
  memory.now = limits.now.bytes;
  return memory;
}

void LogMemory(const std::string& model, const engine::EngineStats& stats) {
  for (const engine::DeviceMemory& memory : stats.memory) {
    Log(LogLevel::kInfo, "memory",
        {{"model", model},
         {"device", memory.device},
         {"name", memory.device_name},
         {"weight_bytes", memory.weights},
         {"kv_bytes", memory.kv},
         {"workspace_bytes", memory.workspace}});
  }
}

int CpusPerCache() { return ReadCpuTopology("", AllowedCpus()).PerCache(); }

absl::StatusOr<std::vector<engine::WorkerCpus>> Place(const ModelSettings& model,
                                                      const ModelShare& share,
                                                      const engine::EngineConfig& settings) {
  const CpuTopology topology = ReadCpuTopology("", AllowedCpus());
  const int quota = CgroupCpuLimit("", std::numeric_limits<int>::max());
  return PlaceWorkers(topology, {model.pin, share.first_cpu, share.cpus, quota},
                      {settings.workers, settings.threads_per_worker});
}

void LogPlacement(const std::string& model, const std::vector<engine::WorkerCpus>& placement) {
  for (size_t i = 0; i < placement.size(); ++i) {
    Log(LogLevel::kInfo, "worker pinned",
        {{"model", model},
         {"worker", i},
         {"node", placement[i].node},
         {"cpus", CpuListText(placement[i].cpus)}});
  }
}

// Replaces the device `auto` by `cpu` if the settings rule out a GPU.
std::vector<ModelSettings> WithoutGpuBySettings(std::vector<ModelSettings> models) {
  for (ModelSettings& model : models) {
    engine::DeviceRequest& devices = model.devices;
    if (model.lexical_shortlist || devices.compute_type == kernels::ComputeType::kInt8) {
      devices.automatic = false;
    }
  }
  return models;
}

}  // namespace

absl::Status CheckEngineSettings(const ServerConfig& config) {
  for (const ModelSettings& model : config.models) {
    engine::DeviceChoice devices;
    const engine::DeviceRequest& request = model.devices;
    // With `auto`, the larger batch of a GPU is assumed. The engine checks the settings again.
    if (request.automatic) devices.cuda = {0};
    if (!request.cuda.empty()) devices.cuda = request.cuda;
    const engine::EngineConfig engine = MakeEngineConfig(model, ModelShare(), devices);
    absl::Status status = engine::CheckSchedulerOptions(engine.scheduler, engine.max_rows);
    if (!status.ok()) return status;
  }
  return DivideDeviceMemory(WithoutGpuBySettings(config.models), config.device_memory_fraction)
      .status();
}

absl::StatusOr<DevicePlan> PlanDevices(const ModelSettings& model, const ModelShare& share,
                                       engine::LoadContext* load,
                                       const std::function<engine::CudaProbe()>& probe) {
  const engine::DeviceRequest& request = model.devices;
  absl::StatusOr<engine::DeviceChoice> devices = Choose(request, probe);
  if (!devices.ok()) return devices.status();
  // If the settings leave no choice, there is nothing to decide here. If they are wrong, the load
  // reports why.
  const bool is_open = request.automatic || !request.compute_type.has_value();
  if (devices->cuda.empty() || !is_open) {
    return DevicePlan{*devices, devices->compute_type, devices->type_note};
  }
  engine::EngineConfig settings = MakeEngineConfig(model, share, *devices);
  settings.memory = HostMemoryFor(share);
  const absl::StatusOr<engine::GpuFit> fit =
      engine::FitToGpus(model.model_directory, settings, load);
  if (!fit.ok()) return fit.status();
  if (fit->why_not.empty()) {
    const bool is_usual = fit->type_note.empty();
    return DevicePlan{*devices, fit->compute_type, is_usual ? devices->type_note : fit->type_note};
  }
  if (!request.automatic) return absl::UnimplementedError(fit->why_not);
  devices = engine::ChooseCpuInstead(request, *devices, fit->why_not);
  if (!devices.ok()) return devices.status();
  return DevicePlan{*devices, devices->compute_type, devices->type_note};
}

absl::StatusOr<std::unique_ptr<engine::Engine>> StartEngine(const ModelSettings& model,
                                                            const ModelShare& share,
                                                            const engine::Clock* clock,
                                                            engine::EngineObserver* observer,
                                                            engine::LoadContext* load) {
  const engine::DeviceChoice& devices = share.plan->devices;
  engine::EngineConfig settings = MakeEngineConfig(model, share, devices);
  settings.memory = HostMemoryFor(share);
  if (devices.cuda.empty()) {
    absl::StatusOr<std::vector<engine::WorkerCpus>> placement = Place(model, share, settings);
    if (!placement.ok()) return placement.status();
    settings.placement = *std::move(placement);
  }
  Log(LogLevel::kInfo, "device",
      {{"model", model.model_name},
       {"device", engine::DeviceNames(devices)},
       {"compute_type", kernels::ComputeTypeName(share.plan->compute_type)},
       {"compute_type_because", share.plan->compute_type_because},
       {"max_rows", settings.max_rows},
       {"not_used", devices.note}});
  Log(LogLevel::kInfo, "workers",
      {{"model", model.model_name},
       {"cpus", share.cpus},
       {"workers", devices.cuda.empty() ? settings.workers : static_cast<int>(devices.cuda.size())},
       {"threads_per_worker", settings.threads_per_worker},
       {"tokenizer_threads", settings.tokenizer_threads},
       {"detokenizer_threads", settings.detokenizer_threads},
       {"pin", settings.placement.empty() ? "off" : PinningName(model.pin)}});
  LogPlacement(model.model_name, settings.placement);
  absl::StatusOr<std::unique_ptr<engine::Engine>> engine =
      engine::CreateEngine(model.model_directory, settings, clock, observer, load);
  if (!engine.ok()) return engine;
  for (const std::string& note : (*engine)->info().notes) {
    Log(LogLevel::kWarn, "model", {{"model", model.model_name}, {"note", note}});
  }
  LogMemory(model.model_name, (*engine)->Stats());
  return engine;
}

ModelResources FindResources(const ServerConfig& config, const DetectorMemory& detector) {
  ModelResources resources;
  resources.cpus = CpuBudget();
  resources.cpus_per_cache = CpusPerCache();
  const MemoryLimit limit = FindMemoryLimits("", 0, ThreadStackBytes()).most;
  resources.host_bytes = limit.bytes;
  resources.host_bytes_of = limit.source;
  resources.serving_bytes = SumOf(ServingMemory(config, detector));
  resources.process_bytes = ProcessBytes() + detector.held;
  return resources;
}

void LogMemoryBound(const ServerConfig& config, const DetectorMemory& detector,
                    const ModelResources& resources, const std::vector<ModelStats>& models,
                    int64_t start_peak_bytes) {
  engine::EngineStats all;
  for (const ModelStats& model : models) {
    all.memory.insert(all.memory.end(), model.stats.memory.begin(), model.stats.memory.end());
  }
  const std::vector<MemoryPart> parts = MemoryBound(config, detector, all, start_peak_bytes);
  LogFields fields = LogFields::object();
  for (const MemoryPart& part : parts) fields[part.name + "_bytes"] = part.bytes;
  fields["sum_bytes"] = SumOf(parts);
  fields["limit_bytes"] = resources.host_bytes;
  fields["limit_of"] = resources.host_bytes_of;
  Log(LogLevel::kInfo, "memory bound", fields);
  if (SumOf(parts) > resources.host_bytes) {
    Log(LogLevel::kWarn, "memory bound above the limit",
        {{"sum_bytes", SumOf(parts)},
         {"limit_bytes", resources.host_bytes},
         {"limit_of", resources.host_bytes_of}});
  }
}

}  // namespace dragoman::server
