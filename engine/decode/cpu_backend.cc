#include "engine/decode/backend.h"

#include <string>
#include <utility>

#include "engine/decode/decoding_batch.h"
#include "kernels/base/compute_type.h"

namespace dragoman::engine {
namespace {

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(std::shared_ptr<const StepModel> model)
      : model_(std::move(model)),
        info_{"cpu", std::string(kernels::CpuInstructionSet()),
              kernels::ComputeTypeName(model_->compute_type()), model_->weight_bytes()} {}

  const BackendInfo& info() const override { return info_; }

  absl::StatusOr<PagePlan> PlanPages(const PageRequest& request) const override {
    return PlanPagesOf(request, host_page_bytes());
  }

  int64_t host_page_bytes() const override { return model_->kv_layout().HostPageBytes(); }

  int64_t HostWorkspaceBytes(const BatchConfig& config, int threads) const override {
    return DecodingBatch::TableBytes(config) + model_->workspace_bytes(threads, config.max_rows);
  }

  absl::StatusOr<std::unique_ptr<KvMemory>> CreateKvMemory(const PagePlan& plan) const override {
    return KvMemory::Create(model_->kv_layout(), plan.self_pages, plan.cross_pages);
  }

  absl::StatusOr<std::unique_ptr<Encoder>> CreateEncoder(int threads) const override {
    return model_->CreateEncoder(threads);
  }

  absl::StatusOr<std::unique_ptr<Batch>> CreateBatch(const BatchConfig& config, int threads,
                                                     KvMemory* memory) const override {
    return std::make_unique<DecodingBatch>(config, memory,
                                           model_->CreateDecoder(threads, config.max_rows));
  }

 private:
  const std::shared_ptr<const StepModel> model_;
  const BackendInfo info_;
};

}  // namespace

std::shared_ptr<const Backend> CreateCpuBackend(std::shared_ptr<const StepModel> model) {
  return std::make_shared<CpuBackend>(std::move(model));
}

}  // namespace dragoman::engine
