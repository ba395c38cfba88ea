#include "engine/decode/cuda/cuda_planner.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/api/devices.h"
#include "engine/decode/cuda/cuda_status.h"
#include "engine/decode/cuda/device_shapes.h"
#include "kernels/cuda/device.h"
#include "kernels/search/options.h"

namespace dragoman::engine {
namespace {

// From this major compute capability on, a product may use another algorithm for each row count,
// and our own kernel for few rows. A test when the model is loaded checks that all of them give the
// same bits. If 8 and 4,096 rows had to use the same kind of tile, a step would take 60 to 120 us
// longer on an H200 (computed, not measured). Older devices cannot run our kernel for few rows.
constexpr int kPerBucketSince = 8;

}  // namespace

absl::StatusOr<CudaPlanner> CudaPlanner::Create(const CudaBackendConfig& config,
                                                const Program& program, const WeightImage& image) {
  if (absl::Status status = CheckDeviceShapes(program); !status.ok()) return status;
  if (const std::string why = WhyGivenUp(config.device); !why.empty()) {
    return absl::UnavailableError(absl::StrCat(CudaDeviceName(config.device), ": ", why));
  }
  cuda::DeviceInfo info;
  if (const cuda::Error error = cuda::Describe(config.device, &info); error != cuda::Error::kNone) {
    return CudaStatus(config.device, "looking at the device", error);
  }
  CudaPlanner planner;
  planner.device_ = config.device;
  planner.device_name_ = info.mps ? absl::StrCat(info.name, ", shared through MPS") : info.name;
  planner.per_bucket_ = info.major >= kPerBucketSince;
  planner.capability_ = 10 * info.major + info.minor;
  planner.options_ = config.options;
  MemoryRequest& r = planner.request_;
  r.device_bytes = info.total_bytes;
  r.free_bytes = info.free_bytes;
  r.fraction = config.memory_fraction;
  r.multiprocessors = info.multiprocessors;
  r.program = program;
  r.type = image.type;
  r.weight_bytes = static_cast<int64_t>(image.bytes.size());
  r.encoder_tokens = EncoderTokens(program);
  if (JoinsCrossLayers(program, image.type, info.total_bytes)) {
    JoinCrossLayers(program.kv.layers, &r.program);
  }
  r.quantized_layers = config.options.layer_products != kernels::QuantizedType::kNone;
  // LoadModel finds out whether the fused output layer can be used. Until then, assumes the kind of
  // output layer that needs less memory.
  r.fused = r.program.outputs().size() == 1;
  r.batch = config.batch;
  r.default_beam = std::min({config.default_beam, config.batch.max_rows, kernels::kMaxBeam});
  // Fails here, before any allocation, if the model cannot fit.
  const absl::StatusOr<MemoryPlan> least = PlanMemory(r);
  if (!least.ok()) return least.status();
  return planner;
}

absl::StatusOr<std::shared_ptr<const CudaModel>> CudaPlanner::LoadModel(const WeightImage& image) {
  CudaModelConfig config;
  config.device = device_;
  config.max_rows = request_.batch.max_rows;
  config.encoder_tokens = request_.encoder_tokens;
  config.per_bucket = per_bucket_;
  config.capability = capability_;
  config.options = options_;
  absl::StatusOr<std::unique_ptr<CudaModel>> model =
      CudaModel::Create(config, request_.program, image);
  if (!model.ok()) return model.status();
  const cuda::FusedOutput* fused = (*model)->fused();
  request_.fused = fused != nullptr;
  request_.fused_bytes =
      fused == nullptr ? 0 : fused->bytes() + fused->WorkspaceBytes(request_.batch.max_rows);
  return std::shared_ptr<const CudaModel>(std::move(*model));
}

absl::StatusOr<MemoryPlan> CudaPlanner::Plan(int64_t kv_bytes, int32_t longest_source) const {
  MemoryRequest request = request_;
  request.kv_bytes = kv_bytes;
  request.longest_source = longest_source;
  return PlanMemory(request);
}

}  // namespace dragoman::engine
