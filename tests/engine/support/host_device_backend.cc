#include "tests/engine/support/host_device_backend.h"

#include <utility>

namespace dragoman::testing {
namespace {

class HostDeviceBackend final : public Backend {
 public:
  HostDeviceBackend(std::shared_ptr<const StepModel> model, const HostDeviceOptions& options)
      : model_(std::move(model)),
        options_(options),
        info_{options.name, "", ComputeTypeName(model_->compute_type()), model_->weight_bytes()} {}

  const BackendInfo& info() const override { return info_; }
  absl::StatusOr<PagePlan> PlanPages(const PageRequest& request) const override {
    return PlanPagesOf(request,
                       model_->kv_layout().ElementsPerPage() * static_cast<int64_t>(sizeof(float)));
  }
  absl::StatusOr<std::unique_ptr<KvMemory>> CreateKvMemory(const PagePlan& plan) const override {
    return KvMemory::Create(model_->kv_layout(), plan.self_pages, plan.cross_pages);
  }
  absl::StatusOr<std::unique_ptr<Encoder>> CreateEncoder(int threads) const override {
    return model_->CreateEncoder(threads);
  }
  absl::StatusOr<std::unique_ptr<Batch>> CreateBatch(const BatchConfig& config, int threads,
                                                     KvMemory* memory) const override {
    return DeviceBatch::Create(CreateHostDevice(*model_, config, threads, memory, options_));
  }

 private:
  const std::shared_ptr<const StepModel> model_;
  const HostDeviceOptions options_;
  const BackendInfo info_;
};

}  // namespace

std::unique_ptr<HostStepDevice> CreateHostDevice(const StepModel& model, const BatchConfig& config,
                                                 int threads, KvMemory* memory,
                                                 const HostDeviceOptions& options) {
  return std::make_unique<HostStepDevice>(LimitsOf(config, memory->self_pages()), memory,
                                          model.CreateDecoder(threads, config.max_rows), options);
}

std::shared_ptr<const Backend> CreateHostDeviceBackend(std::shared_ptr<const StepModel> model,
                                                       const HostDeviceOptions& options) {
  return std::make_shared<HostDeviceBackend>(std::move(model), options);
}

}  // namespace dragoman::testing
