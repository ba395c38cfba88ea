#include "engine/decode/cpu_model.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "engine/decode/cpu_stages.h"
#include "engine/decode/packed_program.h"
#include "kernels/base/helper_threads.h"
#include "kernels/base/op_context.h"

namespace dragoman::engine {
namespace {

class CpuModel final : public CpuNetwork {
 public:
  CpuModel(std::shared_ptr<const PackedProgram> packed, kernels::OpProbe* probe)
      : packed_(std::move(packed)), probe_(probe) {}

  kernels::KvLayout kv_layout() const override { return packed_->program.kv; }
  kernels::ComputeType compute_type() const override { return packed_->type; }
  int64_t weight_bytes() const override { return packed_->bytes; }
  int64_t workspace_bytes(int threads, int max_rows) const override {
    const PackedProgram& p = *packed_;
    const int64_t tokens = EncoderRows(p.program);
    const size_t scratch = p.ScratchFloats(p.program.encoder, p.encoder, tokens) +
                           p.ScratchFloats(p.program.decoder, p.decoder, max_rows);
    return buffer_bytes(max_rows) + p.SelectionBytes(max_rows) +
           std::min(threads, p.helpers->cores()) * static_cast<int64_t>(scratch * sizeof(float));
  }
  std::unique_ptr<Encoder> CreateEncoder(int threads) const override {
    return std::make_unique<CpuEncoder>(packed_, nullptr, threads);
  }
  std::unique_ptr<Decoder> CreateDecoder(int threads, int max_rows) const override {
    return std::make_unique<CpuDecoder>(packed_, threads, max_rows, probe_);
  }

  const kernels::OutputLayer& output() const override { return *packed_->output; }
  int64_t buffer_bytes(int max_rows) const override {
    const PackedProgram& p = *packed_;
    const int64_t tokens = EncoderRows(p.program);
    return StageBuffers::BytesOf(p.encoder_buffers, tokens) + CpuEncoder::PositionBytes(tokens) +
           StageBuffers::BytesOf(p.decoder_buffers, max_rows);
  }
  size_t encoder_scratch() const override {
    return packed_->ScratchFloats(packed_->program.encoder, packed_->encoder,
                                  EncoderRows(packed_->program));
  }
  size_t decoder_scratch(int max_rows) const override {
    return packed_->ScratchFloats(packed_->program.decoder, packed_->decoder, max_rows);
  }
  std::unique_ptr<Encoder> CreateEncoderIn(kernels::OpContext* context) const override {
    return std::make_unique<CpuEncoder>(packed_, context, context->threads());
  }
  std::unique_ptr<CpuRows> CreateRowsIn(kernels::OpContext* context, int max_rows) const override {
    return std::make_unique<CpuRows>(packed_, context, context->threads(), max_rows);
  }

 private:
  // Shared with its encoders and decoders, which may outlive this object.
  const std::shared_ptr<const PackedProgram> packed_;
  kernels::OpProbe* const probe_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const CpuNetwork>> CreateCpuNetwork(
    const Program& program, const Weights& weights, kernels::ComputeType type,
    std::shared_ptr<kernels::HelperThreads> helpers, kernels::OpProbe* probe, bool selects_words) {
  absl::StatusOr<std::shared_ptr<const PackedProgram>> packed =
      PackProgram(program, weights, type, std::move(helpers), selects_words);
  if (!packed.ok()) return packed.status();
  return std::make_shared<const CpuModel>(*std::move(packed), probe);
}

absl::StatusOr<std::shared_ptr<const StepModel>> CreateCpuModel(const Program& program,
                                                                const Weights& weights,
                                                                kernels::ComputeType type,
                                                                int cores, kernels::OpProbe* probe,
                                                                bool selects_words) {
  return CreateCpuNetwork(program, weights, type, std::make_shared<kernels::HelperThreads>(cores),
                          probe, selects_words);
}

}  // namespace dragoman::engine
