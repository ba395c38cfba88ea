#include "engine/decode/ensemble_model.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "engine/decode/cpu_stages.h"
#include "engine/decode/packed_program.h"
#include "kernels/ops/output_mean.h"

namespace dragoman::engine {
namespace {

// The part of each member in a K/V page begins at a multiple of this many bytes: a cache line.
constexpr int64_t kPartAlignment = 64;

struct Member {
  std::shared_ptr<const PackedProgram> network;
  float weight = 0;
  int64_t part = 0;  // offset of the member's part within a page, in bytes
};

// Immutable. Shared by the model, its encoders and its decoders.
struct Members {
  std::vector<Member> all;
  kernels::MeanKind mean = kernels::MeanKind::kProbability;
  std::shared_ptr<kernels::HelperThreads> helpers;

  kernels::OutputMean MakeMean() const {
    std::vector<kernels::OutputMember> outputs;
    for (const Member& m : all) outputs.push_back({m.network->output.get(), m.weight});
    return {std::move(outputs), mean};
  }
};

uint8_t* PartOf(void* pool, const Member& member) {
  return static_cast<uint8_t*>(pool) + member.part;
}
const uint8_t* PartOf(const void* pool, const Member& member) {
  return static_cast<const uint8_t*>(pool) + member.part;
}

class EnsembleEncoder final : public Encoder {
 public:
  EnsembleEncoder(std::shared_ptr<const Members> members, int threads)
      : members_(std::move(members)), context_(members_->helpers.get(), threads) {
    for (const Member& m : members_->all) {
      encoders_.push_back(std::make_unique<CpuEncoder>(m.network, &context_, context_.threads()));
    }
  }

  absl::Status Encode(const EncodeInput& input) override {
    for (size_t m = 0; m < encoders_.size(); ++m) {
      EncodeInput of_member = input;
      of_member.pool = PartOf(input.pool, members_->all[m]);
      if (absl::Status status = encoders_[m]->Encode(of_member); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  int64_t max_tokens() const override {
    int64_t tokens = encoders_.front()->max_tokens();
    for (const auto& encoder : encoders_) tokens = std::min(tokens, encoder->max_tokens());
    return tokens;
  }

  int64_t workspace_bytes() const override {
    int64_t bytes = context_.bytes();
    for (const auto& encoder : encoders_) bytes += encoder->workspace_bytes();
    return bytes;
  }

 private:
  const std::shared_ptr<const Members> members_;
  kernels::OpContext context_;
  std::vector<std::unique_ptr<CpuEncoder>> encoders_;
};

class EnsembleDecoder final : public Decoder {
 public:
  EnsembleDecoder(std::shared_ptr<const Members> members, int threads, int max_rows)
      : members_(std::move(members)),
        context_(members_->helpers.get(), threads),
        mean_(members_->MakeMean()) {
    for (const Member& m : members_->all) {
      rows_.push_back(
          std::make_unique<CpuRows>(m.network, &context_, context_.threads(), max_rows));
    }
    context_.Reserve(mean_.ScratchFloats(max_rows));
  }

  absl::Status Step(const StepInput& in, kernels::LogitSummary* summaries) override {
    context_.Begin();
    const float* hidden[kernels::kMaxEnsembleMembers];
    for (size_t m = 0; m < rows_.size(); ++m) {
      StepInput of_member = in;
      of_member.self.pool = PartOf(in.self.pool, members_->all[m]);
      of_member.cross.pool = PartOf(in.cross.pool, members_->all[m]);
      if (m > 0) of_member.align = {};
      hidden[m] = rows_[m]->Run(of_member);
    }
    mean_.Fold(context_, hidden, in.rows.count, in.requests, summaries);
    return absl::OkStatus();
  }

  void Rest() override { context_.End(); }

  int64_t workspace_bytes() const override {
    int64_t bytes = context_.bytes() + mean_.bytes();
    for (const auto& rows : rows_) bytes += rows->workspace_bytes();
    return bytes;
  }

 private:
  const std::shared_ptr<const Members> members_;
  kernels::OpContext context_;
  kernels::OutputMean mean_;
  std::vector<std::unique_ptr<CpuRows>> rows_;
};

class EnsembleModel final : public StepModel {
 public:
  EnsembleModel(std::shared_ptr<const Members> members, kernels::ComputeType type)
      : members_(std::move(members)), type_(type) {}

  // Returns the first member's layout. Its host_page_stride covers the parts of all members.
  kernels::KvLayout kv_layout() const override { return members_->all.front().network->program.kv; }
  kernels::ComputeType compute_type() const override { return type_; }
  int64_t weight_bytes() const override {
    int64_t bytes = 0;
    for (const Member& m : members_->all) bytes += m.network->bytes;
    return bytes;
  }
  int64_t workspace_bytes(int threads, int max_rows) const override {
    const kernels::OutputMean mean = members_->MakeMean();
    size_t encoder = 0;
    size_t decoder = mean.ScratchFloats(max_rows);
    int64_t bytes = mean.bytes();
    for (const Member& m : members_->all) {
      encoder = std::max(encoder, EncoderScratch(*m.network));
      decoder = std::max(decoder, DecoderScratch(*m.network, max_rows));
      bytes += BufferBytes(*m.network, max_rows);
    }
    return bytes + std::min(threads, members_->helpers->cores()) *
                       static_cast<int64_t>((encoder + decoder) * sizeof(float));
  }
  std::unique_ptr<Encoder> CreateEncoder(int threads) const override {
    return std::make_unique<EnsembleEncoder>(members_, threads);
  }
  std::unique_ptr<Decoder> CreateDecoder(int threads, int max_rows) const override {
    return std::make_unique<EnsembleDecoder>(members_, threads, max_rows);
  }

 private:
  const std::shared_ptr<const Members> members_;
  const kernels::ComputeType type_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const StepModel>> CreateCpuEnsemble(
    std::vector<EnsembleNetwork> members, kernels::MeanKind mean, kernels::ComputeType type,
    int cores) {
  auto made = std::make_shared<Members>();
  made->mean = mean;
  made->helpers = std::make_shared<kernels::HelperThreads>(cores);
  double weights = 0;
  int64_t page = 0;
  for (const EnsembleNetwork& m : members) {
    weights += m.weight;
    const int64_t bytes = HostLayout(m.program.kv, type).HostPartBytes();
    made->all.push_back({nullptr, 0, page});
    page += (bytes + kPartAlignment - 1) / kPartAlignment * kPartAlignment;
  }
  for (size_t m = 0; m < members.size(); ++m) {
    made->all[m].weight = static_cast<float>(members[m].weight / weights);
    members[m].program.kv.host_page_stride = page;
    absl::StatusOr<std::shared_ptr<const PackedProgram>> network =
        PackProgram(members[m].program, *members[m].weights, type, made->helpers, false);
    if (!network.ok()) return network.status();
    made->all[m].network = *std::move(network);
  }
  return std::make_shared<const EnsembleModel>(std::move(made), type);
}

}  // namespace dragoman::engine
