#include "engine/decode/cpu_model.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <numeric>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/base/mutex.h"
#include "engine/decode/word_selections.h"
#include "engine/network/buffers.h"
#include "kernels/base/helper_threads.h"
#include "kernels/base/matrix_rows.h"
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
  explicit PackedProgram(std::shared_ptr<HelperThreads> threads) : helpers(std::move(threads)) {}

  Program program;
  ComputeType type = ComputeType::kFloat32;
  BufferPlan encoder_buffers, decoder_buffers;
  // By operation; nullptr for one that is no product.
  std::vector<std::unique_ptr<Linear>> encoder, decoder;
  std::unique_ptr<OutputLayer> output;
  WeightValues values;  // by weight: those that operations read as they are; the others are empty
  // By weight: the tables of embeddings; nullptr for the others, and for the output layer's.
  std::vector<std::unique_ptr<EmbeddingTable>> tables;
  int64_t bytes = 0;
  bool selects_words = false;
  const std::shared_ptr<HelperThreads> helpers;  // of whoever runs it; shared by an ensemble's

  // Of the selections of a decoder for so many rows.
  int64_t SelectionBytes(int max_rows) const {
    return selects_words
               ? WordSelections::BytesOf(type, output->d(), output->vocabulary(), max_rows)
               : 0;
  }

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
  const EmbeddingTable& Table(WeightId id) const {
    const auto& own = tables[static_cast<size_t>(id)];
    return own != nullptr ? *own : output->table();
  }
};

// Rows of a weight for whoever packs them. Keeps the first error.
class RowsOfWeight final : public MatrixRows {
 public:
  // The `count` rows from `begin` on.
  RowsOfWeight(const Weights& weights, WeightId id, int64_t cols, int64_t begin, int64_t count)
      : weights_(weights),
        id_(id),
        cols_(cols),
        begin_(begin),
        is_int8_(weights.AreInt8(id, begin, count)) {}

  void Read(int64_t first, int64_t count, float* to) const override {
    absl::Status read = weights_.Read(id_, begin_ + first, count, to);
    if (read.ok()) return;
    std::fill_n(to, count * cols_, 0.0F);
    Keep(std::move(read));
  }
  bool AreInt8() const override { return is_int8_; }
  void ReadInt8(int64_t first, int64_t count, int8_t* to, float* scales) const override {
    absl::Status read = weights_.ReadInt8(id_, begin_ + first, count, to, scales);
    if (read.ok()) return;
    std::fill_n(to, count * cols_, int8_t{0});
    std::fill_n(scales, count, 0.0F);
    Keep(std::move(read));
  }

  absl::Status status() const {
    MutexLock lock(&mu_);
    return status_;
  }

 private:
  void Keep(absl::Status status) const {
    MutexLock lock(&mu_);
    if (status_.ok()) status_ = std::move(status);
  }

  const Weights& weights_;
  const WeightId id_;
  const int64_t cols_;
  const int64_t begin_;
  const bool is_int8_;
  mutable Mutex mu_;
  mutable absl::Status status_ ABSL_GUARDED_BY(mu_);
};

// Whether the table of an embedding is in memory apart from the output layer's.
bool HasOwnTable(const Program& program, WeightId table) { return table != program.output().table; }

// Tables of embeddings that are held apart, each once.
std::vector<WeightId> OwnTables(const Program& program) {
  std::vector<WeightId> tables;
  for (const OpSequence* stage : {&program.encoder, &program.decoder}) {
    for (const Op& op : stage->ops) {
      const auto* embed = std::get_if<EmbedOp>(&op.what);
      if (embed == nullptr || !HasOwnTable(program, embed->table)) continue;
      if (std::find(tables.begin(), tables.end(), embed->table) == tables.end()) {
        tables.push_back(embed->table);
      }
    }
  }
  return tables;
}

// Those that operations read as they are, each once.
std::vector<WeightId> PlainWeights(const Program& program) {
  std::vector<WeightId> ids;
  const auto add = [&](WeightId id) {
    if (id != kNoWeight && std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  };
  for (const OpSequence* stage : {&program.encoder, &program.decoder}) {
    for (const Op& op : stage->ops) {
      if (const auto* embed = std::get_if<EmbedOp>(&op.what)) add(embed->positions);
      if (const auto* norm = std::get_if<AddNormOp>(&op.what)) add(norm->gain), add(norm->bias);
      if (const auto* own = std::get_if<EncoderAttentionOp>(&op.what)) add(own->bias);
      if (const auto* own = std::get_if<SelfAttentionOp>(&op.what)) add(own->bias);
    }
  }
  return ids;
}

// Makes one.
class Packer {
 public:
  Packer(const Weights& weights, PackedProgram* packed)
      : weights_(weights),
        packed_(*packed),
        context_(packed->helpers.get(), packed->helpers->cores()) {
    context_.Begin();
  }

  absl::Status Run() {
    const Program& program = packed_.program;
    for (const auto& [stage, products] : {std::pair{&program.encoder, &packed_.encoder},
                                          std::pair{&program.decoder, &packed_.decoder}}) {
      for (const Op& op : stage->ops) {
        products->push_back(nullptr);
        const auto* product = std::get_if<ProductOp>(&op.what);
        if (product == nullptr) continue;
        if (absl::Status status = Pack(*product, &products->back()); !status.ok()) return status;
      }
    }
    absl::Status status = PackOutput(program.output());
    packed_.tables.resize(program.weights.size());
    for (const WeightId id : OwnTables(program)) {
      if (status.ok()) status = PackTable(id);
    }
    for (const WeightId id : PlainWeights(program)) {
      if (status.ok()) status = ReadWhole(id, &packed_.values[static_cast<size_t>(id)]);
    }
    if (!status.ok()) return status;
    packed_.bytes = CpuWeightBytes(program, packed_.type);
    return weights_.Check();
  }

 private:
  absl::Status ReadWhole(WeightId id, std::vector<float>* values) {
    const Weight& weight = packed_.program.weight(id);
    values->resize(static_cast<size_t>(weight.elements()));
    return weights_.Read(id, 0, weight.rows, values->data());
  }

  // Of a product: the part of it that belongs to these rows. Empty where there is none.
  absl::Status ReadBias(WeightId id, int64_t first, int64_t count, std::vector<float>* bias) {
    if (id == kNoWeight) return absl::OkStatus();
    std::vector<float> whole;
    absl::Status status = ReadWhole(id, &whole);
    bias->assign(whole.begin() + first, whole.begin() + first + count);
    return status;
  }

  absl::Status Pack(const ProductOp& op, std::unique_ptr<Linear>* linear) {
    const int in = packed_.Cols(op.weight);
    std::vector<float> bias;
    absl::Status status = ReadBias(op.bias, op.first_row, op.rows, &bias);
    if (!status.ok()) return status;
    const RowsOfWeight rows(weights_, op.weight, in, op.first_row, op.rows);
    *linear = Linear::Create(rows, bias.empty() ? nullptr : bias.data(), in,
                             static_cast<int>(op.rows), op.activation, packed_.type, &context_);
    weights_.Release(op.weight);
    return *linear == nullptr ? NoKernel() : rows.status();
  }

  absl::Status PackOutput(const OutputOp& op) {
    const Weight& table = packed_.program.weight(op.table);
    std::vector<float> bias;
    absl::Status status = ReadBias(op.bias, 0, table.rows, &bias);
    if (!status.ok()) return status;
    const RowsOfWeight rows(weights_, op.table, table.cols, 0, table.rows);
    packed_.output =
        OutputLayer::Create(rows, bias.empty() ? nullptr : bias.data(), packed_.Cols(op.table),
                            static_cast<int>(table.rows), packed_.type, &context_);
    weights_.Release(op.table);
    return packed_.output == nullptr ? NoKernel() : rows.status();
  }

  absl::Status PackTable(WeightId id) {
    const Weight& weight = packed_.program.weight(id);
    std::unique_ptr<EmbeddingTable>& table = packed_.tables[static_cast<size_t>(id)];
    if (packed_.type == ComputeType::kFloat32) {
      std::vector<float>& values = packed_.values[static_cast<size_t>(id)];
      absl::Status status = ReadWhole(id, &values);
      table = std::make_unique<FloatEmbedding>(values.data(), packed_.Cols(id));
      weights_.Release(id);
      return status;
    }
    const RowsOfWeight rows(weights_, id, weight.cols, 0, weight.rows);
    table = std::make_unique<NarrowEmbedding>(context_, packed_.type, rows, weight.rows,
                                              packed_.Cols(id));
    weights_.Release(id);
    return rows.status();
  }

  absl::Status NoKernel() const {
    return absl::UnimplementedError(absl::StrCat(
        "compute-type: found ", ComputeTypeName(packed_.type),
        ", expected float32, bfloat16 or int8: the CPU has no kernels of other types"));
  }

  const Weights& weights_;
  PackedProgram& packed_;
  OpContext context_;
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
  // Computes in `context`, which is borrowed and whose memory is not counted here; nullptr: in one of
  // its own with `threads`.
  StageRunner(std::shared_ptr<const PackedProgram> packed, const OpSequence& stage,
              const BufferPlan& plan, const std::vector<std::unique_ptr<Linear>>& products,
              OpContext* context, int threads, int64_t capacity)
      : packed_(std::move(packed)),
        stage_(stage),
        products_(products),
        own_(context == nullptr ? std::make_unique<OpContext>(packed_->helpers.get(), threads)
                                : nullptr),
        op_(context == nullptr ? *own_ : *context),
        buffers_(plan, capacity) {
    op_.Reserve(packed_->ScratchFloats(stage, products, capacity));
    workspace_bytes_ = buffers_.bytes() + (own_ == nullptr ? 0 : own_->bytes());
  }

 protected:
  // Runs every operation but the output layer: `attend` those that the stage has for itself.
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
            } else if constexpr (!std::is_same_v<What, OutputOp>) {
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
  const std::unique_ptr<OpContext> own_;
  OpContext& op_;
  const Buffers buffers_;
  int64_t workspace_bytes_ = 0;
};

class CpuEncoder final : public Encoder, private StageRunner {
 public:
  CpuEncoder(const std::shared_ptr<const PackedProgram>& packed, OpContext* context, int threads)
      : StageRunner(packed, packed->program.encoder, packed->encoder_buffers, packed->encoder,
                    context, threads, EncoderRows(packed->program)),
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

// Up to the output layer.
class CpuRows final : public NetworkRows, private StageRunner {
 public:
  CpuRows(const std::shared_ptr<const PackedProgram>& packed, OpContext* context, int threads,
          int max_rows)
      : StageRunner(packed, packed->program.decoder, packed->decoder_buffers, packed->decoder,
                    context, threads, max_rows) {}

  const float* Run(const StepInput& in) override {
    StageRunner::Run(in.tokens, in.rows.position, in.rows.count, [&](const auto& op) {
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
      } else {
        NotOfThisStage();
      }
    });
    return buffers_[packed_->program.output().x];
  }

  OpContext& context() { return op_; }
  int64_t workspace_bytes() const override { return workspace_bytes_; }
};

class CpuDecoder final : public Decoder {
 public:
  CpuDecoder(std::shared_ptr<const PackedProgram> packed, int threads, int max_rows, OpProbe* probe)
      : packed_(std::move(packed)), rows_(packed_, nullptr, threads, max_rows) {
    rows_.context().set_probe(probe);
    if (packed_->selects_words) {
      words_ = std::make_unique<WordSelections>(packed_->output.get(), max_rows);
    }
  }

  absl::Status Step(const StepInput& in, LogitSummary* summaries) override {
    OpContext& context = rows_.context();
    context.Begin();
    const float* const hidden = rows_.Run(in);
    const Probed probed(context.probe(), packed_->program.decoder.ops.back().name);
    if (words_ == nullptr) {
      packed_->output->Fold(context, hidden, in.rows.count, in.requests, summaries);
    } else {
      words_->Fold(context, hidden, in.rows, in.requests, summaries);
    }
    return absl::OkStatus();
  }

  bool HasRoomFor(int32_t words) const override { return words_->HasRoomFor(words); }
  void Enter(int slot, const IdList& words) override { words_->Enter(slot, words); }
  void Leave(int slot) override {
    if (words_ != nullptr) words_->Leave(slot);
  }

  void Rest() override { rows_.context().End(); }

  int64_t workspace_bytes() const override {
    return rows_.workspace_bytes() + (words_ == nullptr ? 0 : words_->bytes());
  }

 private:
  const std::shared_ptr<const PackedProgram> packed_;
  CpuRows rows_;
  std::unique_ptr<WordSelections> words_;  // nullptr: the model does not select
};

class CpuModel final : public CpuNetwork {
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
    return buffer_bytes(max_rows) + p.SelectionBytes(max_rows) +
           std::min(threads, p.helpers->cores()) * static_cast<int64_t>(scratch) * kFloatBytes;
  }
  std::unique_ptr<Encoder> CreateEncoder(int threads) const override {
    return std::make_unique<CpuEncoder>(packed_, nullptr, threads);
  }
  std::unique_ptr<Decoder> CreateDecoder(int threads, int max_rows) const override {
    return std::make_unique<CpuDecoder>(packed_, threads, max_rows, probe_);
  }

  const OutputLayer& output() const override { return *packed_->output; }
  int64_t buffer_bytes(int max_rows) const override {
    const PackedProgram& p = *packed_;
    const int64_t tokens = EncoderRows(p.program);
    return p.encoder_buffers.Bytes(tokens, kFloatBytes) + CpuEncoder::PositionBytes(tokens) +
           p.decoder_buffers.Bytes(max_rows, kFloatBytes);
  }
  size_t encoder_scratch() const override {
    return packed_->ScratchFloats(packed_->program.encoder, packed_->encoder,
                                  EncoderRows(packed_->program));
  }
  size_t decoder_scratch(int max_rows) const override {
    return packed_->ScratchFloats(packed_->program.decoder, packed_->decoder, max_rows);
  }
  std::unique_ptr<Encoder> CreateEncoderIn(OpContext* context) const override {
    return std::make_unique<CpuEncoder>(packed_, context, context->threads());
  }
  std::unique_ptr<NetworkRows> CreateRowsIn(OpContext* context, int max_rows) const override {
    return std::make_unique<CpuRows>(packed_, context, context->threads(), max_rows);
  }

 private:
  // Shared with the encoders and decoders made from it, which may outlive this object.
  const std::shared_ptr<const PackedProgram> packed_;
  OpProbe* const probe_;
};

}  // namespace

KvLayout HostLayout(KvLayout kv, ComputeType type) {
  kv.host_element = type == ComputeType::kInt8 && !kv.HasInt8Rows() ? ComputeType::kBFloat16 : type;
  return kv;
}

absl::StatusOr<std::shared_ptr<const CpuNetwork>> CreateCpuNetwork(
    const Program& program, const Weights& weights, ComputeType type,
    std::shared_ptr<HelperThreads> helpers, OpProbe* probe, bool selects_words) {
  auto packed = std::make_shared<PackedProgram>(std::move(helpers));
  packed->program = program;
  packed->type = type;
  packed->selects_words = selects_words;
  packed->program.kv = HostLayout(program.kv, type);
  packed->encoder_buffers = PlanBuffers(program.encoder);
  packed->decoder_buffers = PlanBuffers(program.decoder);
  packed->values.resize(program.weights.size());
  if (absl::Status status = Packer(weights, packed.get()).Run(); !status.ok()) return status;
  return std::make_shared<const CpuModel>(std::move(packed), probe);
}

int64_t CpuWeightBytes(const Program& program, ComputeType type) {
  int64_t bytes = 0;
  for (const OpSequence* stage : {&program.encoder, &program.decoder}) {
    for (const Op& op : stage->ops) {
      const auto* product = std::get_if<ProductOp>(&op.what);
      if (product == nullptr) continue;
      const auto in = static_cast<int>(program.weight(product->weight).cols);
      bytes += Linear::BytesOf(type, in, static_cast<int>(product->rows));
    }
  }
  const Weight& output = program.weight(program.output().table);
  bytes += OutputLayer::BytesOf(type, static_cast<int>(output.cols), static_cast<int>(output.rows));
  if (bytes == 0) return 0;
  for (const WeightId id : OwnTables(program)) {
    const Weight& table = program.weight(id);
    bytes += type == ComputeType::kFloat32
                 ? table.elements() * kFloatBytes
                 : NarrowEmbedding::BytesOf(type, table.rows, static_cast<int>(table.cols));
  }
  for (const WeightId id : PlainWeights(program)) {
    bytes += program.weight(id).elements() * kFloatBytes;
  }
  return bytes;
}

absl::StatusOr<std::shared_ptr<const StepModel>> CreateCpuModel(const Program& program,
                                                                const Weights& weights,
                                                                ComputeType type, int cores,
                                                                OpProbe* probe,
                                                                bool selects_words) {
  return CreateCpuNetwork(program, weights, type, std::make_shared<HelperThreads>(cores), probe,
                          selects_words);
}

}  // namespace dragoman
