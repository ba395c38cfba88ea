#include <cstdio>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "engine/decode/cuda/cuda_backend.h"
#include "engine/decode/cuda/weight_image.h"
#include "engine/profile/cuda_profile.h"
#include "tests/engine/support/weights_in_memory.h"
#include "tests/gpu/bench/base_model.h"
#include "tests/gpu/bench/parts.h"
#include "tests/gpu/cuda_switches.h"

namespace dragoman::bench {

using nlohmann::json;

absl::StatusOr<json> Ceilings() {
  json result;
  for (const kernels::ComputeType type :
       {kernels::ComputeType::kFloat16, kernels::ComputeType::kBFloat16,
        kernels::ComputeType::kFloat32}) {
    const absl::StatusOr<engine::DeviceRates> rates = engine::MeasureRates(0, type);
    if (!rates.ok()) return rates.status();
    result["copy_bytes_per_second"] = rates->bytes_per_second;
    result["flop_per_second"][kernels::ComputeTypeName(type)] = rates->flop_per_second;
    std::printf("%s: copies %.2f TB/s, matrix products of 8192 x 8192 %.0f TFLOP/s\n",
                kernels::ComputeTypeName(type), rates->bytes_per_second / 1e12,
                rates->flop_per_second / 1e12);
  }
  return result;
}

engine::CudaBackendConfig StepConfig(const engine::ModelSpec& spec, int rows) {
  engine::CudaBackendConfig config;
  config.batch.max_rows = rows;
  config.batch.max_positions = 128;
  config.batch.vocabulary = spec.shape.target_vocab;
  config.batch.start_token = spec.tokens.decoder_start;
  config.options = CudaOptionsOfEnvironment();
  return config;
}

absl::StatusOr<json> StepTable() {
  constexpr int kSteps = 30;
  const engine::ModelSpec spec = BaseSpec();
  const engine::Program program = ProgramOf(spec);
  const auto image =
      engine::MakeWeightImage(program, engine::WeightsInMemory(program, RandomWeights(program)),
                              kernels::ComputeType::kFloat16);
  if (!image.ok()) return image.status();
  json result;
  for (const int rows : {4096, 1024, 256, 4}) {
    const engine::CudaBackendConfig config = StepConfig(spec, rows);
    const absl::StatusOr<std::string> table =
        engine::ProfileCudaSteps(config, program, *image, kSteps);
    if (!table.ok()) return table.status();
    std::printf("\n%d rows, beam 4, float16, %d steps\n%s", rows, kSteps, table->c_str());
    std::istringstream lines(*table);
    for (std::string line; std::getline(lines, line);) {
      result[absl::StrCat("rows_", rows)].push_back(line);
    }
  }
  return result;
}

}  // namespace dragoman::bench
