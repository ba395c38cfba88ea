#include "server/process/engine_settings.h"

#include "server/base/steady_clock.h"
#include "server/process/worker_plan.h"

namespace dragoman {
namespace {

// A device reports a step late, so a row that ends is free for a step or two; segments beyond the
// rows, which pause until then, take it at once. With 9/8 of the rows 94 % of them busy become 99 to
// 100 % (tests/bench/details/serving.md, "The decode loop").
int64_t UsualCapacityOfGpu(const SchedulerOptions& options, int max_rows) {
  const bool tops_up =
      options.refill == RefillRule::kContinuous && options.unit == CapacityUnit::kRows;
  return tops_up ? int64_t{max_rows} * 9 / 8 : 0;
}

}  // namespace

EngineConfig MakeEngineConfig(const ModelSettings& config, const ModelShare& share,
                              const DeviceChoice& devices) {
  const WorkerPlan plan =
      PlanWorkers(share.cpus, share.cpus_per_cache, config.cpu_workers, config.threads_per_worker);
  EngineConfig out;
  out.model_name = config.model_name;
  out.ensemble = config.ensemble;
  out.lexical_shortlist = config.lexical_shortlist;
  out.tokenizer = config.tokenizer;
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
  out.scheduler = config.scheduler;
  if (!devices.cuda.empty() && out.scheduler.capacity == 0) {
    out.scheduler.capacity = UsualCapacityOfGpu(out.scheduler, out.max_rows);
  }
  out.default_profile = config.default_profile;
  out.glossary_directory = config.glossary_dir;
  out.watchdog = config.watchdog_seconds * kNanosPerSecond;
  return out;
}

}  // namespace dragoman
