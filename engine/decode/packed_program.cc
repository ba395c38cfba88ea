#include "engine/decode/packed_program.h"

#include <algorithm>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/base/mutex.h"
#include "engine/decode/word_selections.h"
#include "kernels/base/matrix_rows.h"
#include "kernels/base/op_context.h"
#include "kernels/ops/align.h"

namespace dragoman::engine {
namespace {

// Gives the packing code access to rows of a weight, which it reads from the files. status()
// returns the first error.
class RowsOfWeight final : public kernels::MatrixRows {
 public:
  // Gives access to the `count` rows of the weight from row `begin` on.
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

// Reports whether an embedding table is not also the output layer's matrix.
bool HasOwnTable(const Program& program, WeightId table) { return table != program.output().table; }

// Returns the embedding tables that are not the output layer's matrix, each once.
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

// Reports whether operations read a weight of this role unpacked, as float32. Matrices, biases of
// products, the output layer's bias and embedding tables are packed.
bool IsPlain(WeightRole role) { return StaysFloat32(role) && role != WeightRole::kOutputBias; }

// Returns the weights that operations read unpacked, each once.
std::vector<WeightId> PlainWeights(const Program& program) {
  std::vector<WeightId> ids;
  for (const OpSequence* stage : {&program.encoder, &program.decoder}) {
    for (const Op& op : stage->ops) {
      for (const WeightId id : WeightsOf(op)) {
        if (!IsPlain(program.weight(id).role)) continue;
        if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
      }
    }
  }
  return ids;
}

// Packs the weights and stores them in a PackedProgram.
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

  // Reads the elements first .. first + count - 1 of a bias. Leaves `bias` empty if `id` is
  // kNoWeight.
  absl::Status ReadBias(WeightId id, int64_t first, int64_t count, std::vector<float>* bias) {
    if (id == kNoWeight) return absl::OkStatus();
    std::vector<float> whole;
    absl::Status status = ReadWhole(id, &whole);
    bias->assign(whole.begin() + first, whole.begin() + first + count);
    return status;
  }

  absl::Status Pack(const ProductOp& op, std::unique_ptr<kernels::Linear>* linear) {
    const int in = packed_.Cols(op.weight);
    std::vector<float> bias;
    absl::Status status = ReadBias(op.bias, op.first_row, op.rows, &bias);
    if (!status.ok()) return status;
    const RowsOfWeight rows(weights_, op.weight, in, op.first_row, op.rows);
    *linear =
        kernels::Linear::Create(rows, bias.empty() ? nullptr : bias.data(), in,
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
    packed_.output = kernels::OutputLayer::Create(
        rows, bias.empty() ? nullptr : bias.data(), packed_.Cols(op.table),
        static_cast<int>(table.rows), packed_.type, &context_);
    weights_.Release(op.table);
    return packed_.output == nullptr ? NoKernel() : rows.status();
  }

  absl::Status PackTable(WeightId id) {
    const Weight& weight = packed_.program.weight(id);
    std::unique_ptr<kernels::EmbeddingTable>& table = packed_.tables[static_cast<size_t>(id)];
    if (packed_.type == kernels::ComputeType::kFloat32) {
      std::vector<float>& values = packed_.values[static_cast<size_t>(id)];
      absl::Status status = ReadWhole(id, &values);
      table = std::make_unique<kernels::FloatEmbedding>(values.data(), packed_.Cols(id));
      weights_.Release(id);
      return status;
    }
    const RowsOfWeight rows(weights_, id, weight.cols, 0, weight.rows);
    table = std::make_unique<kernels::QuantizedEmbedding>(context_, packed_.type, rows, weight.rows,
                                                          packed_.Cols(id));
    weights_.Release(id);
    return rows.status();
  }

  absl::Status NoKernel() const {
    return absl::UnimplementedError(absl::StrCat(
        "compute-type: found ", kernels::ComputeTypeName(packed_.type),
        ", expected float32, bfloat16 or int8: the CPU has no kernels of other types"));
  }

  const Weights& weights_;
  PackedProgram& packed_;
  kernels::OpContext context_;
};

}  // namespace

int64_t PackedProgram::SelectionBytes(int max_rows) const {
  return selects_words ? WordSelections::BytesOf(type, output->d(), output->vocabulary(), max_rows)
                       : 0;
}

size_t PackedProgram::ScratchFloats(const OpSequence& stage, const StageProducts& products,
                                    int64_t rows) const {
  size_t floats = 0;
  for (size_t i = 0; i < stage.ops.size(); ++i) {
    size_t needed = 0;
    if (products[i] != nullptr) {
      needed = products[i]->ScratchFloats(rows);
    } else if (const auto* attention = std::get_if<EncoderAttentionOp>(&stage.ops[i].what)) {
      needed = kernels::EncoderAttentionScratch(program.max_positions, attention->head_dim);
    } else if (std::holds_alternative<AlignOp>(stage.ops[i].what)) {
      needed = kernels::AlignScratch(program.max_positions);
    } else if (std::holds_alternative<OutputOp>(stage.ops[i].what)) {
      needed = output->ScratchFloats(rows);
    }
    floats = std::max(floats, needed);
  }
  return floats;
}

absl::StatusOr<std::shared_ptr<const PackedProgram>> PackProgram(
    const Program& program, const Weights& weights, kernels::ComputeType type,
    std::shared_ptr<kernels::HelperThreads> helpers, bool selects_words) {
  auto packed = std::make_shared<PackedProgram>(std::move(helpers));
  packed->program = program;
  packed->type = type;
  packed->selects_words = selects_words;
  packed->program.kv = HostLayout(program.kv, type);
  packed->encoder_buffers = PlanBuffers(program.encoder);
  packed->decoder_buffers = PlanBuffers(program.decoder);
  packed->values.resize(program.weights.size());
  if (absl::Status status = Packer(weights, packed.get()).Run(); !status.ok()) return status;
  return packed;
}

kernels::KvLayout HostLayout(kernels::KvLayout kv, kernels::ComputeType type) {
  kv.host_element = type == kernels::ComputeType::kInt8 && !kv.HasInt8Rows()
                        ? kernels::ComputeType::kBFloat16
                        : type;
  return kv;
}

int64_t CpuWeightBytes(const Program& program, kernels::ComputeType type) {
  int64_t bytes = 0;
  for (const OpSequence* stage : {&program.encoder, &program.decoder}) {
    for (const Op& op : stage->ops) {
      const auto* product = std::get_if<ProductOp>(&op.what);
      if (product == nullptr) continue;
      const auto in = static_cast<int>(program.weight(product->weight).cols);
      bytes += kernels::Linear::BytesOf(type, in, static_cast<int>(product->rows));
    }
  }
  const Weight& output = program.weight(program.output().table);
  bytes += kernels::OutputLayer::BytesOf(type, static_cast<int>(output.cols),
                                         static_cast<int>(output.rows));
  if (bytes == 0) return 0;
  for (const WeightId id : OwnTables(program)) {
    const Weight& table = program.weight(id);
    bytes +=
        type == kernels::ComputeType::kFloat32
            ? table.elements() * int64_t{sizeof(float)}
            : kernels::QuantizedEmbedding::BytesOf(type, table.rows, static_cast<int>(table.cols));
  }
  for (const WeightId id : PlainWeights(program)) {
    bytes += program.weight(id).elements() * int64_t{sizeof(float)};
  }
  return bytes;
}

}  // namespace dragoman::engine
