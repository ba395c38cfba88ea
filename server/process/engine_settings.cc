#include "server/process/engine_settings.h"

#include "server/base/steady_clock.h"
#include "server/process/worker_plan.h"
#include "server/settings/scheduler_settings.h"

namespace dragoman {

EngineConfig MakeEngineConfig(const ModelSettings& config, const ModelShare& share,
                              const DeviceChoice& devices) {
  const WorkerPlan plan =
      PlanWorkers(share.cpus, share.cpus_per_cache, config.cpu_workers, config.threads_per_worker);
  EngineConfig out;
  out.model_name = config.model_name;
  out.devices = devices;
  out.device_memory_fraction = share.device_memory_fraction;
  const int usual_rows = devices.cuda.empty() ? kCpuMaxRows : kGpuMaxRows;
  out.max_rows = config.max_rows > 0 ? config.max_rows : usual_rows;
  out.workers = plan.workers;
  out.threads_per_worker = plan.threads_per_worker;
  out.max_threads_per_worker = config.max_threads_per_worker;
  out.tokenizer_threads = TextThreads(share.cpus, config.tokenizer_threads);
  out.detokenizer_threads =
      config.detokenizer_threads >= 0 ? config.detokenizer_threads : out.tokenizer_threads;
  out.max_queue_segments = config.max_queue_segments;
  out.max_queue_tokens = config.max_queue_tokens;
  out.encoded_queue_segments = config.encoded_queue_segments;
  out.kv_memory_mb = config.kv_memory_mb;
  out.scheduler = *ParseScheduler(config);
  out.default_profile = ConfiguredProfile(config);
  out.glossary_directory = config.glossary_dir;
  out.watchdog = config.watchdog_seconds * kNanosPerSecond;
  return out;
}

}  // namespace dragoman
