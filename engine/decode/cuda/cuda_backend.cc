#include "engine/decode/cuda/cuda_backend.h"

#include <algorithm>
#include <utility>

#include "engine/decode/cuda/cuda_model.h"
#include "engine/decode/cuda/cuda_planner.h"
#include "engine/decode/cuda/cuda_status.h"
#include "engine/decode/cuda/cuda_step.h"
#include "engine/decode/cuda/device_shapes.h"
#include "engine/decode/device_batch.h"
#include "kernels/cuda/device.h"
#include "kernels/cuda/device_memory.h"

namespace dragoman::engine {
namespace {

class CudaBackend final : public Backend {
 public:
  CudaBackend(CudaPlanner planner, std::shared_ptr<const CudaModel> model)
      : planner_(std::move(planner)),
        model_(std::move(model)),
        info_{CudaDeviceName(model_->device()), planner_.device_name(),
              kernels::ComputeTypeName(model_->type()), model_->weight_bytes(), model_->Notes()} {}

  const BackendInfo& info() const override { return info_; }

  absl::StatusOr<PagePlan> PlanPages(const PageRequest& request) const override {
    const absl::StatusOr<MemoryPlan> plan = planner_.Plan(request.bytes, request.longest_source);
    if (!plan.ok()) return plan.status();
    return plan->pages;
  }

  absl::StatusOr<std::unique_ptr<KvMemory>> CreateKvMemory(const PagePlan& plan) const override {
    const kernels::KvLayout layout = model_->program().kv;
    const int64_t bytes = (int64_t{plan.self_pages} + plan.cross_pages) * layout.ElementsPerPage() *
                          kernels::ElementBytes(model_->type());
    const int device = model_->device();
    cuda::Error error = cuda::SetDevice(device);
    // A shared_ptr, because std::function copies its target.
    auto pages = std::make_shared<cuda::DeviceBuffer>();
    if (error == cuda::Error::kNone) error = pages->Allocate(bytes);
    if (error != cuda::Error::kNone) return CudaMemoryStatus(device, "K/V pages", bytes, error);
    KvBlock block;
    block.data = pages->data();
    block.bytes = bytes;
    block.free = [pages, device](void*) {
      static_cast<void>(cuda::SetDevice(device));
      pages->Free();
    };
    return std::make_unique<KvMemory>(layout, plan.self_pages, plan.cross_pages, std::move(block));
  }

  absl::StatusOr<std::unique_ptr<Encoder>> CreateEncoder(int /*threads*/) const override {
    return CreateCudaEncoder(model_);
  }

  absl::StatusOr<std::unique_ptr<Batch>> CreateBatch(const BatchConfig& config, int /*threads*/,
                                                     KvMemory* memory) const override {
    kernels::BatchLimits limits = planner_.Limits();
    if (config.max_rows != limits.max_rows || config.max_positions != limits.positions) {
      return absl::InternalError("cuda: the batch is not the one that the memory was planned for");
    }
    limits.self_pages = memory->self_pages();
    absl::StatusOr<std::unique_ptr<StepDevice>> device =
        CreateCudaStepDevice(model_, limits, memory->pool());
    if (!device.ok()) return device.status();
    return DeviceBatch::Create(*std::move(device));
  }

 private:
  const CudaPlanner planner_;
  // Shared with the encoders and batches that are created.
  const std::shared_ptr<const CudaModel> model_;
  const BackendInfo info_;
};

}  // namespace

absl::Status CheckCudaModel(const Program& program) { return CheckDeviceShapes(program); }

absl::StatusOr<std::shared_ptr<const Backend>> CreateCudaBackend(const CudaBackendConfig& config,
                                                                 const Program& program,
                                                                 const WeightImage& image) {
  absl::StatusOr<CudaPlanner> planner = CudaPlanner::Create(config, program, image);
  if (!planner.ok()) return planner.status();
  absl::StatusOr<std::shared_ptr<const CudaModel>> model = planner->LoadModel(image);
  if (!model.ok()) return model.status();
  return std::make_shared<const CudaBackend>(*std::move(planner), *std::move(model));
}

}  // namespace dragoman::engine
