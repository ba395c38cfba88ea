#include "server/process/engine_settings.h"

#include "server/process/worker_plan.h"

namespace dragoman::server {
namespace {

// The engine reads the result of a step on a GPU while the next step runs, so the row of a
// hypothesis that has ended stays unused for a step or two. Extra segments in the batch pause until
// a row is free and take such a row at once. A capacity of 9/8 of the rows raises the share of busy
// rows from 94 % to 99 or 100 % (tests/bench/README.md, "The decode loop").
int64_t UsualCapacityOfGpu(const engine::SchedulerOptions& options, int max_rows) {
  const bool tops_up = options.refill == engine::RefillRule::kContinuous &&
                       options.unit == engine::CapacityUnit::kRows;
  return tops_up ? int64_t{max_rows} * 9 / 8 : 0;
}

}  // namespace

engine::EngineConfig MakeEngineConfig(const ModelSettings& config, const ModelShare& share,
                                      const engine::DeviceChoice& devices) {
  // Names every setting of a model, so that a new setting causes a compile error here until it is
  // decided how the engine gets it. The settings that are not used below come through `share` or
  // `devices`, or engine_start.cc uses them.
  const auto& [model_name, model_directory, asked_devices, device_memory_fraction,
               own_device_memory_fraction, max_rows, cpu_workers, threads_per_worker, pin,
               text_threads, max_queue_segments, max_queue_tokens, kv_memory_mb, scheduler, cuda,
               ensemble, lexical_shortlist, tokenizer, default_profile, glossary_dir] = config;
  const WorkerPlan plan =
      PlanWorkers(share.cpus, share.cpus_per_cache, cpu_workers, threads_per_worker);
  engine::EngineConfig out;
  out.model_name = model_name;
  out.ensemble = ensemble;
  out.lexical_shortlist = lexical_shortlist;
  out.tokenizer = tokenizer;
  out.devices = devices;
  out.device_memory_fraction = share.device_memory_fraction;
  const int usual_rows = devices.cuda.empty() ? kCpuMaxRows : kGpuMaxRows;
  out.max_rows = max_rows > 0 ? max_rows : usual_rows;
  out.workers = plan.workers;
  out.threads_per_worker = plan.threads_per_worker;
  out.tokenizer_threads = TextThreads(share.text_cpus, text_threads);
  out.detokenizer_threads = out.tokenizer_threads;
  out.max_queue_segments = max_queue_segments;
  out.max_queue_tokens = max_queue_tokens;
  out.kv_memory_mb = kv_memory_mb;
  out.scheduler = scheduler;
  out.cuda = cuda;
  if (!devices.cuda.empty() && out.scheduler.capacity == 0) {
    out.scheduler.capacity = UsualCapacityOfGpu(out.scheduler, out.max_rows);
  }
  out.default_profile = default_profile;
  out.glossary_directory = glossary_dir;
  return out;
}

}  // namespace dragoman::server
