#include <cstdio>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "engine/decode/cuda/cuda_backend.h"
#include "engine/decode/cuda/weight_image.h"
#include "tests/engine/support/weights_in_memory.h"
#include "tests/gpu/bench/base_model.h"
#include "tests/gpu/bench/parts.h"
#include "tests/gpu/bench/worker_run.h"
#include "tests/gpu/cuda_switches.h"

namespace dragoman::bench {
namespace {

using nlohmann::json;

absl::StatusOr<WorkerTimes> Measure(const WorkerRun& run, const engine::ModelSpec& spec,
                                    const engine::Program& program,
                                    const engine::WeightImage& image) {
  engine::CudaBackendConfig config;
  config.batch.max_rows = run.max_rows;
  config.batch.max_positions = PositionsOf(run);
  config.batch.vocabulary = spec.shape.target_vocab;
  config.batch.start_token = spec.tokens.decoder_start;
  config.options = CudaOptionsOfEnvironment();
  const auto backend = engine::CreateCudaBackend(config, program, image);
  if (!backend.ok()) return backend.status();
  return RunWorker(run, spec, **backend);
}

json ToJson(const WorkerRun& run, const WorkerTimes& t) {
  const double per_second = t.SegmentsPerSecond();
  return {{"max_rows", run.max_rows},
          {"capacity", run.capacity > 0 ? run.capacity : run.max_rows},
          {"beam", run.beam},
          {"source_tokens", run.source_tokens},
          {"target_tokens", run.target_tokens},
          {"in_flight", run.in_flight},
          {"segments", t.segments},
          {"seconds", t.seconds},
          {"sentences_per_second", per_second},
          // Tokens of the best hypotheses, without EOS.
          {"tokens_per_second", per_second * run.target_tokens},
          {"steps", t.steps},
          {"rows_per_step", t.rows_per_step}};
}

}  // namespace

absl::StatusOr<json> Throughput() {
  const engine::ModelSpec spec = BaseSpec();
  const engine::Program program = ProgramOf(spec);
  const engine::WeightsInMemory weights(program, RandomWeights(program));
  json result;
  std::printf("OPUS-MT base shape, V = 58,101, random weights, 30 source and 30 target tokens\n");
  for (const kernels::ComputeType type :
       {kernels::ComputeType::kFloat16, kernels::ComputeType::kBFloat16}) {
    const auto image = engine::MakeWeightImage(program, weights, type);
    if (!image.ok()) return image.status();
    // Full batches with a capacity equal to the rows, and with 9/8 of the rows, the daemon's
    // setting (server/process/engine_settings.cc).
    for (const auto& [rows, capacity, beam] : {std::tuple{4096, 4096, 4},
                                               {4096, 4608, 4},
                                               {1024, 1024, 4},
                                               {1024, 1152, 4},
                                               {256, 256, 4},
                                               {1024, 1024, 1}}) {
      WorkerRun run;
      run.max_rows = rows;
      run.capacity = capacity;
      run.beam = beam;
      const int64_t slots = rows / beam;
      run.segments = 24 * slots;
      run.before = 4 * slots;
      run.after = 4 * slots;
      const auto times = Measure(run, spec, program, *image);
      if (!times.ok()) return times.status();
      const json line = ToJson(run, *times);
      std::printf("%s, %d rows of %d, beam %d: %.0f sentences/s, %.0f tokens/s, %.1f rows a step\n",
                  kernels::ComputeTypeName(type), rows, capacity, beam,
                  line["sentences_per_second"].get<double>(),
                  line["tokens_per_second"].get<double>(), times->rows_per_step);
      result[kernels::ComputeTypeName(type)].push_back(line);
    }
  }
  return result;
}

absl::StatusOr<json> OneSentence() {
  const engine::ModelSpec spec = BaseSpec();
  const engine::Program program = ProgramOf(spec);
  const engine::WeightsInMemory weights(program, RandomWeights(program));
  json result;
  for (const kernels::ComputeType type :
       {kernels::ComputeType::kFloat16, kernels::ComputeType::kFloat32}) {
    const auto image = engine::MakeWeightImage(program, weights, type);
    if (!image.ok()) return image.status();
    for (const int beam : {4, 1}) {
      WorkerRun run;
      run.max_rows = 64;
      run.beam = beam;
      run.segments = 120;
      run.in_flight = 1;
      run.before = 20;
      const auto times = Measure(run, spec, program, *image);
      if (!times.ok()) return times.status();
      json line = ToJson(run, *times);
      const double ms = 1e3 / times->SegmentsPerSecond();
      line["milliseconds"] = ms;
      std::printf("one sentence alone, %s, beam %d: %.2f ms for 30 tokens, %.3f ms a token\n",
                  kernels::ComputeTypeName(type), beam, ms, ms / run.target_tokens);
      result[kernels::ComputeTypeName(type)].push_back(line);
    }
  }
  return result;
}

}  // namespace dragoman::bench
