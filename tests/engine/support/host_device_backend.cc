#include "tests/engine/support/host_device_backend.h"

#include <utility>

namespace dragoman::testing {
namespace {

class HostDeviceBackend final : public engine::Backend {
 public:
  HostDeviceBackend(std::shared_ptr<const engine::StepModel> model,
                    const HostDeviceOptions& options)
      : model_(std::move(model)),
        options_(options),
        info_{options.name, "", kernels::ComputeTypeName(model_->compute_type()),
              model_->weight_bytes()} {}

  const engine::BackendInfo& info() const override { return info_; }
  absl::StatusOr<engine::PagePlan> PlanPages(const engine::PageRequest& request) const override {
    return engine::PlanPagesOf(
        request, model_->kv_layout().ElementsPerPage() * static_cast<int64_t>(sizeof(float)));
  }
  absl::StatusOr<std::unique_ptr<engine::KvMemory>> CreateKvMemory(
      const engine::PagePlan& plan) const override {
    return engine::KvMemory::Create(model_->kv_layout(), plan.self_pages, plan.cross_pages);
  }
  absl::StatusOr<std::unique_ptr<engine::Encoder>> CreateEncoder(int threads) const override {
    return model_->CreateEncoder(threads);
  }
  absl::StatusOr<std::unique_ptr<engine::Batch>> CreateBatch(
      const engine::BatchConfig& config, int threads, engine::KvMemory* memory) const override {
    return engine::DeviceBatch::Create(
        CreateHostDevice(*model_, config, threads, memory, options_));
  }

 private:
  const std::shared_ptr<const engine::StepModel> model_;
  const HostDeviceOptions options_;
  const engine::BackendInfo info_;
};

}  // namespace

std::unique_ptr<HostStepDevice> CreateHostDevice(const engine::StepModel& model,
                                                 const engine::BatchConfig& config, int threads,
                                                 engine::KvMemory* memory,
                                                 const HostDeviceOptions& options) {
  return std::make_unique<HostStepDevice>(engine::LimitsOf(config, memory->self_pages()), memory,
                                          model.CreateDecoder(threads, config.max_rows), options);
}

std::shared_ptr<const engine::Backend> CreateHostDeviceBackend(
    std::shared_ptr<const engine::StepModel> model, const HostDeviceOptions& options) {
  return std::make_shared<HostDeviceBackend>(std::move(model), options);
}

}  // namespace dragoman::testing
