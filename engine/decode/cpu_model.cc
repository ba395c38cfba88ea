#include "engine/decode/cpu_model.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "engine/decode/cpu_stages.h"
#include "engine/decode/packed_program.h"
#include "kernels/base/helper_threads.h"

namespace dragoman::engine {
namespace {

class CpuModel final : public StepModel {
 public:
  CpuModel(std::shared_ptr<const PackedProgram> packed, kernels::OpProbe* probe)
      : packed_(std::move(packed)), probe_(probe) {}

  kernels::KvLayout kv_layout() const override { return packed_->program.kv; }
  kernels::ComputeType compute_type() const override { return packed_->type; }
  int64_t weight_bytes() const override { return packed_->bytes; }
  int64_t workspace_bytes(int threads, int max_rows) const override {
    const size_t scratch = EncoderScratch(*packed_) + DecoderScratch(*packed_, max_rows);
    return BufferBytes(*packed_, max_rows) + packed_->SelectionBytes(max_rows) +
           std::min(threads, packed_->helpers->cores()) *
               static_cast<int64_t>(scratch * sizeof(float));
  }
  std::unique_ptr<Encoder> CreateEncoder(int threads) const override {
    return std::make_unique<CpuEncoder>(packed_, nullptr, threads);
  }
  std::unique_ptr<Decoder> CreateDecoder(int threads, int max_rows) const override {
    return std::make_unique<CpuDecoder>(packed_, threads, max_rows, probe_);
  }

 private:
  // Shared with its encoders and decoders, which may outlive this object.
  const std::shared_ptr<const PackedProgram> packed_;
  kernels::OpProbe* const probe_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const StepModel>> CreateCpuModel(const Program& program,
                                                                const Weights& weights,
                                                                kernels::ComputeType type,
                                                                int cores, kernels::OpProbe* probe,
                                                                bool selects_words) {
  absl::StatusOr<std::shared_ptr<const PackedProgram>> packed = PackProgram(
      program, weights, type, std::make_shared<kernels::HelperThreads>(cores), selects_words);
  if (!packed.ok()) return packed.status();
  return std::make_shared<const CpuModel>(*std::move(packed), probe);
}

}  // namespace dragoman::engine
