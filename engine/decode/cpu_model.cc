#include "engine/decode/cpu_model.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <new>
#include <numeric>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/network/buffers.h"
#include "kernels/base/helper_threads.h"
#include "kernels/base/op_context.h"
#include "kernels/ops/align.h"
#include "kernels/ops/cross_attention.h"
#include "kernels/ops/decode_attention.h"
#include "kernels/ops/embed.h"
#include "kernels/ops/encoder_attention.h"
#include "kernels/ops/gate.h"
#include "kernels/ops/layer_norm.h"
#include "kernels/ops/linear.h"
#include "kernels/ops/output_layer.h"
#include "kernels/ops/recurrence.h"
#include "kernels/ops/rms_norm.h"

namespace dragoman {
namespace {

// Tokens of one encoder pass: enough for the products to be efficient, few enough for activations
// to stay in cache and for the first segments of a window to reach the decoder soon.
constexpr int64_t kEncodeTokens = 512;

constexpr int64_t kFloatBytes = sizeof(float);

int64_t EncoderRows(const Program& program) {
  return std::max(kEncodeTokens, program.max_positions);
}

// A program with its weights as the operations want them, immutable once made; and the threads that
// help to compute it.
struct PackedProgram {
  explicit PackedProgram(int cores) : helpers(cores) {}

  Program program;
  ComputeType type = ComputeType::kFloat32;
  BufferPlan encoder_buffers, decoder_buffers;
  // By operation; nullptr for one that is no product.
  std::vector<std::unique_ptr<Linear>> encoder, decoder;
  std::unique_ptr<OutputLayer> output;
  // By weight: the embedding tables of a narrow type; nullptr for the others.
  std::vector<std::unique_ptr<NarrowEmbedding>> embeddings;
  WeightValues values;  // those that operations read as they are; the others are empty
  int64_t bytes = 0;
  mutable HelperThreads helpers;  // of whoever runs it

  // What an encoder or decoder for so many rows needs of each of its threads' scratch.
  size_t ScratchFloats(const OpSequence& stage,
                       const std::vector<std::unique_ptr<Linear>>& products, int64_t rows) const {
    size_t floats = 0;
    for (size_t i = 0; i < stage.ops.size(); ++i) {
      size_t needed = 0;
      if (products[i] != nullptr) {
        needed = products[i]->ScratchFloats(rows);
      } else if (const auto* attention = std::get_if<EncoderAttentionOp>(&stage.ops[i].what)) {
        needed = EncoderAttentionScratch(program.max_positions, attention->head_dim);
      } else if (std::holds_alternative<AlignOp>(stage.ops[i].what)) {
        needed = AlignScratch(program.max_positions);
      } else if (std::holds_alternative<OutputOp>(stage.ops[i].what)) {
        needed = output->ScratchFloats(rows);
      }
      floats = std::max(floats, needed);
    }
    return floats;
  }

  const float* Value(WeightId id) const {
    return id == kNoWeight ? nullptr : values[static_cast<size_t>(id)].data();
  }
  RelativeBias Bias(WeightId id) const {
    if (id == kNoWeight) return {};
    return {Value(id), program.weight(id).cols, program.max_positions - 1};
  }
  int Cols(WeightId id) const { return static_cast<int>(program.weight(id).cols); }
  EmbeddingTable Table(WeightId id) const {
    const auto& narrow = embeddings[static_cast<size_t>(id)];
    return narrow != nullptr ? narrow->view() : EmbeddingTable(Value(id), Cols(id));
  }
};

// Makes one, and lets go of what is packed.
class Packer {
 public:
  explicit Packer(PackedProgram* packed)
      : packed_(*packed),
        context_(&packed->helpers, packed->helpers.cores()),
        uses_(packed->values.size(), 0) {
    context_.Begin();
  }

  absl::Status Run() {
    for (const OpSequence* stage : {&packed_.program.encoder, &packed_.program.decoder}) {
      for (const Op& op : stage->ops)
        std::visit([this](const auto& what) { Count(what); }, op.what);
    }
    for (const auto& [stage, products] : {std::pair{&packed_.program.encoder, &packed_.encoder},
                                          std::pair{&packed_.program.decoder, &packed_.decoder}}) {
      for (const Op& op : stage->ops) {
        products->push_back(nullptr);
        const auto* product = std::get_if<ProductOp>(&op.what);
        if (product != nullptr && (products->back() = Pack(*product)) == nullptr) return NoKernel();
      }
    }
    packed_.embeddings.resize(packed_.values.size());
    for (const OpSequence* stage : {&packed_.program.encoder, &packed_.program.decoder}) {
      for (const Op& op : stage->ops) {
        if (const auto* embed = std::get_if<EmbedOp>(&op.what)) PackTable(embed->table);
      }
    }
    const OutputOp& output = packed_.program.output();
    packed_.output = OutputLayer::Create(
        packed_.Value(output.table), packed_.Value(output.bias), packed_.Cols(output.table),
        static_cast<int>(packed_.program.vocabulary()), packed_.type, &context_);
    if (packed_.output == nullptr) return NoKernel();
    packed_.bytes += packed_.output->bytes();
    Release(output.table);
    Release(output.bias);
    for (const std::vector<float>& kept : packed_.values) {
      packed_.bytes += static_cast<int64_t>(kept.size()) * kFloatBytes;
    }
    return absl::OkStatus();
  }

 private:
  template <class What>
  void Count(const What&) {}
  void Count(const EmbedOp& op) { Use({op.table, op.positions}); }
  void Count(const ProductOp& op) { Use({op.weight, op.bias}); }
  void Count(const AddNormOp& op) { Use({op.gain, op.bias}); }
  void Count(const EncoderAttentionOp& op) { Use({op.bias}); }
  void Count(const SelfAttentionOp& op) { Use({op.bias}); }
  void Count(const OutputOp& op) { Use({op.table, op.bias}); }
  void Use(std::initializer_list<WeightId> weights) {
    for (const WeightId id : weights) {
      if (id != kNoWeight) ++uses_[static_cast<size_t>(id)];
    }
  }
  void Release(WeightId id) {
    if (id == kNoWeight) return;
    if (--uses_[static_cast<size_t>(id)] > 0) return;
    std::vector<float>().swap(packed_.values[static_cast<size_t>(id)]);  // "= {}" keeps the memory
  }

  std::unique_ptr<Linear> Pack(const ProductOp& op) {
    const int in = packed_.Cols(op.weight);
    const float* const bias = packed_.Value(op.bias);
    std::unique_ptr<Linear> linear =
        Linear::Create(packed_.Value(op.weight) + op.first_row * in,
                       bias == nullptr ? nullptr : bias + op.first_row, in,
                       static_cast<int>(op.rows), op.activation, packed_.type, &context_);
    if (linear != nullptr) packed_.bytes += linear->bytes();
    Release(op.weight);
    Release(op.bias);
    return linear;
  }

  // Encoder and decoder may have one table: it is packed once, and let go by both.
  void PackTable(WeightId id) {
    if (packed_.type == ComputeType::kFloat32) return;
    std::unique_ptr<NarrowEmbedding>& table = packed_.embeddings[static_cast<size_t>(id)];
    if (table == nullptr) {
      table = std::make_unique<NarrowEmbedding>(context_, packed_.type, packed_.Value(id),
                                                packed_.program.weight(id).rows, packed_.Cols(id));
      packed_.bytes += table->bytes();
    }
    Release(id);
  }

  absl::Status NoKernel() const {
    return absl::UnimplementedError(absl::StrCat(
        "compute-type: found ", ComputeTypeName(packed_.type),
        ", expected float32, bfloat16 or int8: the CPU has no kernels of other types"));
  }

  PackedProgram& packed_;
  OpContext context_;
  std::vector<int> uses_;  // by operations that are not packed yet
};

// The buffers of one thread.
class Buffers {
 public:
  Buffers(const BufferPlan& plan, int64_t rows)
      : plan_(plan), rows_(rows), bytes_(plan.Bytes(rows, kFloatBytes)) {
    block_.reset(static_cast<float*>(::operator new(static_cast<size_t>(bytes_), kAlignment)));
    std::fill_n(block_.get(), bytes_ / kFloatBytes, 0.0F);
  }

  float* operator[](BufferId buffer) const {
    return block_.get() + rows_ * plan_.offset[static_cast<size_t>(buffer)];
  }
  int64_t bytes() const { return bytes_; }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(float* p) const { ::operator delete(p, kAlignment); }
  };

  const BufferPlan& plan_;
  const int64_t rows_;
  const int64_t bytes_;
  std::unique_ptr<float, Free> block_;
};

// What encoder and decoder have in common: the operations that know rows and nothing of attention.
class StageRunner {
 public:
  StageRunner(std::shared_ptr<const PackedProgram> packed, const OpSequence& stage,
              const BufferPlan& plan, const std::vector<std::unique_ptr<Linear>>& products,
              int threads, int64_t capacity)
      : packed_(std::move(packed)),
        stage_(stage),
        products_(products),
        op_(&packed_->helpers, threads),
        buffers_(plan, capacity) {
    op_.Reserve(packed_->ScratchFloats(stage, products, capacity));
    workspace_bytes_ = buffers_.bytes() + op_.bytes();
  }

 protected:
  // Runs every operation: `attend` those that the stage has for itself.
  template <class Attend>
  void Run(const int32_t* tokens, const int32_t* positions, int64_t rows, Attend attend) {
    for (size_t i = 0; i < stage_.ops.size(); ++i) {
      const Probed probed(op_.probe(), stage_.ops[i].name);
      std::visit(
          [&](const auto& op) {
            using What = std::decay_t<decltype(op)>;
            if constexpr (std::is_same_v<What, EmbedOp>) {
              EmbedTokens(op_, packed_->Table(op.table), Value(op.positions), op.scale, tokens,
                          positions, rows, buffers_[op.y]);
            } else if constexpr (std::is_same_v<What, ProductOp>) {
              products_[i]->Run(op_, buffers_[op.x], rows, buffers_[op.y]);
            } else if constexpr (std::is_same_v<What, GateOp>) {
              GateRows(op_, op.activation, buffers_[op.x], rows, static_cast<int>(op.width),
                       buffers_[op.y]);
            } else if constexpr (std::is_same_v<What, AddNormOp>) {
              if (op.kind == NormKind::kRms) {
                AddRmsNorm(op_, buffers_[op.x], IfThere(op.residual), Value(op.gain), op.epsilon,
                           rows, packed_->Cols(op.gain), buffers_[op.y], IfThere(op.sum));
                return;
              }
              AddLayerNorm(op_, buffers_[op.x], IfThere(op.residual), Value(op.gain),
                           Value(op.bias), op.epsilon, rows, packed_->Cols(op.gain), buffers_[op.y],
                           IfThere(op.sum));
            } else {
              attend(op);
            }
          },
          stage_.ops[i].what);
    }
  }

  const float* Value(WeightId id) const { return packed_->Value(id); }
  float* IfThere(BufferId id) const { return id == kNoBuffer ? nullptr : buffers_[id]; }
  const KvLayout& layout() const { return packed_->program.kv; }

  const std::shared_ptr<const PackedProgram> packed_;
  const OpSequence& stage_;
  const std::vector<std::unique_ptr<Linear>>& products_;
  OpContext op_;
  const Buffers buffers_;
  int64_t workspace_bytes_ = 0;
};

class CpuEncoder final : public Encoder, private StageRunner {
 public:
  CpuEncoder(const std::shared_ptr<const PackedProgram>& packed, int threads)
      : StageRunner(packed, packed->program.encoder, packed->encoder_buffers, packed->encoder,
                    threads, EncoderRows(packed->program)),
        capacity_(EncoderRows(packed->program)),
        positions_(static_cast<size_t>(capacity_)) {}

  absl::Status Encode(const EncodeInput& in) override {
    const int64_t tokens = in.offsets[in.segments];
    if (tokens > capacity_) {
      return absl::InternalError(
          absl::StrCat("encoder: ", tokens, " tokens in one pass, expected at most ", capacity_));
    }
    op_.Begin();
    for (int64_t i = 0; i < in.segments; ++i) {
      std::iota(positions_.begin() + in.offsets[i], positions_.begin() + in.offsets[i + 1], 0);
    }
    Run(in.tokens, positions_.data(), tokens, [&](const auto& op) {
      using What = std::decay_t<decltype(op)>;
      if constexpr (std::is_same_v<What, EncoderAttentionOp>) {
        EncoderAttention(op_, buffers_[op.qkv], in.offsets, in.segments, op.heads, op.head_dim,
                         buffers_[op.context], packed_->Bias(op.bias));
      } else if constexpr (std::is_same_v<What, WriteCrossKvOp>) {
        WriteCrossKv(op_, layout(), op.first_layer, op.layers, buffers_[op.kv], in.offsets,
                     in.segments, in.page_offsets, in.pages, in.pool);
      } else {
        NotOfThisStage();
      }
    });
    op_.End();
    return absl::OkStatus();
  }

  int64_t max_tokens() const override { return capacity_; }
  int64_t workspace_bytes() const override { return workspace_bytes_ + PositionBytes(capacity_); }
  static int64_t PositionBytes(int64_t capacity) {
    return capacity * static_cast<int64_t>(sizeof(int32_t));
  }

 private:
  const int64_t capacity_;
  std::vector<int32_t> positions_;
};

class CpuDecoder final : public Decoder, private StageRunner {
 public:
  CpuDecoder(const std::shared_ptr<const PackedProgram>& packed, int threads, int max_rows,
             OpProbe* probe)
      : StageRunner(packed, packed->program.decoder, packed->decoder_buffers, packed->decoder,
                    threads, max_rows) {
    op_.set_probe(probe);
  }

  absl::Status Step(const StepInput& in, LogitSummary* summaries) override {
    op_.Begin();
    Run(in.tokens, in.rows.position, in.rows.count, [&](const auto& op) {
      using What = std::decay_t<decltype(op)>;
      if constexpr (std::is_same_v<What, SelfAttentionOp>) {
        DecodeSelfAttention(op_, layout(), op.layer, in.rows, in.self, buffers_[op.qkv],
                            buffers_[op.context], packed_->Bias(op.bias));
      } else if constexpr (std::is_same_v<What, RecurrenceOp>) {
        Recur(op_, layout(), op.layer, in.rows, in.self, buffers_[op.gate_x], buffers_[op.y]);
      } else if constexpr (std::is_same_v<What, AlignOp>) {
        if (in.align.empty()) return;
        AlignRows(op_, layout(), op.layer, in.rows, in.cross, buffers_[op.q], in.align.data(),
                  static_cast<int64_t>(in.align.size()), in.aligned);
      } else if constexpr (std::is_same_v<What, CrossAttentionOp>) {
        CrossAttention(op_, layout(), op.layer, in.rows, in.cross, buffers_[op.q],
                       buffers_[op.context]);
      } else if constexpr (std::is_same_v<What, OutputOp>) {
        packed_->output->Fold(op_, buffers_[op.x], in.rows.count, in.requests, summaries);
      } else {
        NotOfThisStage();
      }
    });
    return absl::OkStatus();
  }

  void Rest() override { op_.End(); }

  int64_t workspace_bytes() const override { return workspace_bytes_; }
};

class CpuModel final : public StepModel {
 public:
  CpuModel(std::shared_ptr<const PackedProgram> packed, OpProbe* probe)
      : packed_(std::move(packed)), probe_(probe) {}

  KvLayout kv_layout() const override { return packed_->program.kv; }
  ComputeType compute_type() const override { return packed_->type; }
  int64_t weight_bytes() const override { return packed_->bytes; }
  int64_t workspace_bytes(int threads, int max_rows) const override {
    const PackedProgram& p = *packed_;
    const int64_t tokens = EncoderRows(p.program);
    const size_t scratch = p.ScratchFloats(p.program.encoder, p.encoder, tokens) +
                           p.ScratchFloats(p.program.decoder, p.decoder, max_rows);
    return p.encoder_buffers.Bytes(tokens, kFloatBytes) + CpuEncoder::PositionBytes(tokens) +
           p.decoder_buffers.Bytes(max_rows, kFloatBytes) +
           std::min(threads, packed_->helpers.cores()) * static_cast<int64_t>(scratch) *
               kFloatBytes;
  }
  std::unique_ptr<Encoder> CreateEncoder(int threads) const override {
    return std::make_unique<CpuEncoder>(packed_, threads);
  }
  std::unique_ptr<Decoder> CreateDecoder(int threads, int max_rows) const override {
    return std::make_unique<CpuDecoder>(packed_, threads, max_rows, probe_);
  }

 private:
  // Shared with the encoders and decoders made from it, which may outlive this object.
  const std::shared_ptr<const PackedProgram> packed_;
  OpProbe* const probe_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const StepModel>> CreateCpuModel(const Program& program,
                                                                WeightValues weights,
                                                                ComputeType type, int cores,
                                                                OpProbe* probe) {
  auto packed = std::make_shared<PackedProgram>(cores);
  packed->program = program;
  packed->type = type;
  KvLayout& kv = packed->program.kv;
  kv.host_element = type == ComputeType::kInt8 && !kv.HasInt8Rows() ? ComputeType::kBFloat16 : type;
  packed->encoder_buffers = PlanBuffers(program.encoder);
  packed->decoder_buffers = PlanBuffers(program.decoder);
  packed->values = std::move(weights);
  if (absl::Status status = Packer(packed.get()).Run(); !status.ok()) return status;
  return std::make_shared<const CpuModel>(std::move(packed), probe);
}

}  // namespace dragoman
