#include "engine/network/program.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/network/op_ids.h"

namespace dragoman::engine {
namespace {

// Checks the operations of a stage one by one. Check returns the error in an operation as text, or
// "" if there is none.
class OpChecker {
 public:
  OpChecker(const Program& program, const OpSequence& stage)
      : program_(program), stage_(stage), written_(stage.buffers.size(), false) {}

  std::string Check(const Op& op) {
    const bool encodes = std::holds_alternative<EncoderAttentionOp>(op.what) ||
                         std::holds_alternative<WriteCrossKvOp>(op.what);
    const bool decodes = std::holds_alternative<SelfAttentionOp>(op.what) ||
                         std::holds_alternative<RecurrenceOp>(op.what) ||
                         std::holds_alternative<AlignOp>(op.what) ||
                         std::holds_alternative<CrossAttentionOp>(op.what) ||
                         std::holds_alternative<OutputOp>(op.what) ||
                         std::holds_alternative<EnsembleOutputOp>(op.what);
    if (&stage_ == &program_.encoder ? decodes : encodes) return "is of the other stage";
    for (const auto& [ids, reads] :
         {std::pair{OperandsOf(op).reads, true}, std::pair{OperandsOf(op).writes, false}}) {
      for (const BufferId id : ids) {
        if (id < 0 || static_cast<size_t>(id) >= stage_.buffers.size()) return "has no such buffer";
        if (reads && !written_[static_cast<size_t>(id)]) {
          return absl::StrCat("reads '", Named(id), "' before it is written");
        }
      }
    }
    why_.clear();
    std::visit(*this, op.what);
    for (const BufferId id : OperandsOf(op).writes) written_[static_cast<size_t>(id)] = true;
    return why_;
  }

  void operator()(const EmbedOp& op) {
    Expect(op.table, WeightRole::kEmbedding, -1, Width(op.y));
    if (op.positions == kNoWeight) return;
    Expect(op.positions, WeightRole::kPositions, program_.max_positions, Width(op.y));
  }
  void operator()(const ProductOp& op) {
    Expect(op.weight, WeightRole::kMatrix, -1, Width(op.x));
    if (op.bias != kNoWeight) Expect(op.bias, WeightRole::kBias, 1, -1);
    if (!why_.empty()) return;
    if (op.x == op.y) why_ = "writes what it reads";
    const int64_t rows = program_.weight(op.weight).rows;
    if (op.first_row < 0 || op.rows < 1 || op.first_row + op.rows > rows) {
      why_ =
          absl::StrCat("takes rows ", op.first_row, " to ", op.first_row + op.rows, " of ", rows);
    }
    if (op.bias != kNoWeight && program_.weight(op.bias).cols != rows) {
      why_ = "has a bias of another length";
    }
    ExpectWidth(op.y, op.rows);
  }
  void operator()(const GateOp& op) {
    if (op.x == op.y) why_ = "writes what it reads";
    ExpectWidth(op.x, 2 * op.width);
    ExpectWidth(op.y, op.width);
  }
  void operator()(const AddNormOp& op) {
    for (const BufferId other : {op.residual, op.y, op.sum}) {
      if (other != kNoBuffer) ExpectWidth(other, Width(op.x));
    }
    if (op.sum == op.y) why_ = "writes two results to one buffer";
    Expect(op.gain, WeightRole::kNormGain, 1, Width(op.x));
    if (op.kind == NormKind::kRms) {
      if (op.bias != kNoWeight) why_ = "is of a kind without a bias and has one";
      return;
    }
    Expect(op.bias, WeightRole::kNormBias, 1, Width(op.x));
  }
  void operator()(const EncoderAttentionOp& op) {
    ExpectHeads(op.heads);
    ExpectWidth(op.qkv, int64_t{3} * op.heads * op.head_dim);
    ExpectWidth(op.context, int64_t{op.heads} * op.head_dim);
    ExpectDistances(op.bias, op.heads, 2 * program_.max_positions - 1);
  }
  void operator()(const WriteCrossKvOp& op) {
    ExpectLayers(op.first_layer, op.layers);
    ExpectWidth(op.kv, int64_t{2} * op.layers * program_.kv.width());
  }
  void operator()(const SelfAttentionOp& op) {
    ExpectLayers(op.layer, 1);
    if (!why_.empty()) return;
    ExpectHeads(program_.KvOf(op.layer).heads);
    ExpectWidth(op.qkv, int64_t{3} * program_.kv.width());
    ExpectWidth(op.context, program_.kv.width());
    ExpectDistances(op.bias, program_.KvOf(op.layer).heads, program_.max_positions);
  }
  // The state is stored in the place of K, so it is as wide as K.
  void operator()(const RecurrenceOp& op) {
    ExpectLayers(op.layer, 1);
    if (op.gate_x == op.y) why_ = "writes what it reads";
    ExpectWidth(op.gate_x, int64_t{2} * program_.kv.width());
    ExpectWidth(op.y, program_.kv.width());
  }
  void operator()(const AlignOp& op) {
    ExpectLayers(op.layer, 1);
    ExpectWidth(op.q, program_.kv.width());
  }
  void operator()(const CrossAttentionOp& op) {
    ExpectLayers(op.layer, 1);
    ExpectWidth(op.q, program_.kv.width());
    ExpectWidth(op.context, program_.kv.width());
  }
  void operator()(const OutputOp& op) {
    Expect(op.table, WeightRole::kEmbedding, -1, Width(op.x));
    if (why_.empty()) {
      Expect(op.bias, WeightRole::kOutputBias, 1, program_.weight(op.table).rows);
    }
  }
  void operator()(const EnsembleOutputOp& op) {
    if (op.members.empty() || op.members.size() > kernels::kMaxEnsembleMembers ||
        op.weights.size() != op.members.size()) {
      why_ = absl::StrCat("has ", op.members.size(), " members and ", op.weights.size(),
                          " weights of them");
    }
    for (const OutputOp& member : op.members) {
      if (!why_.empty()) return;
      (*this)(member);
      if (why_.empty() &&
          program_.weight(member.table).rows != program_.weight(op.members.front().table).rows) {
        why_ = "has members of different vocabularies";
      }
    }
  }

 private:
  const char* Named(BufferId id) const { return stage_.buffers[static_cast<size_t>(id)].name; }
  int64_t Width(BufferId id) const { return stage_.buffers[static_cast<size_t>(id)].width; }

  void ExpectWidth(BufferId id, int64_t width) {
    if (!why_.empty() || Width(id) >= width) return;
    why_ = absl::StrCat("needs ", width, " of '", Named(id), "', which is ", Width(id), " wide");
  }
  // A weight matches any number of rows if `rows` is -1, and any number of columns if `cols` is -1.
  void Expect(WeightId id, WeightRole role, int64_t rows, int64_t cols) {
    if (!why_.empty()) return;
    if (id < 0 || static_cast<size_t>(id) >= program_.weights.size()) {
      why_ = "has no such weight";
      return;
    }
    const Weight& w = program_.weight(id);
    if (w.role != role) {
      why_ = absl::StrCat("takes '", w.name, "' for another role");
    } else if ((rows >= 0 && w.rows != rows) || (cols >= 0 && w.cols != cols)) {
      why_ = absl::StrCat("takes '", w.name, "', which is [", w.rows, ", ", w.cols, "]");
    }
  }
  void ExpectDistances(WeightId bias, int heads, int64_t distances) {
    if (bias != kNoWeight) Expect(bias, WeightRole::kRelativeBias, heads, distances);
  }
  void ExpectHeads(int heads) {
    if (heads < 1 || heads > kernels::kMaxAttentionHeads)
      why_ = absl::StrCat("has ", heads, " heads");
  }
  void ExpectLayers(int first, int count) {
    if (first < 0 || count < 1 || first + count > program_.kv.layers) {
      why_ = absl::StrCat("is of layers ", first, " to ", first + count);
    }
  }

  const Program& program_;
  const OpSequence& stage_;
  std::vector<bool> written_;
  std::string why_;
};

// The visitors of VisitIds that collect the buffers or the weights of an operation.
struct OperandFinder {
  void Weight(WeightId) {}
  void Reads(BufferId id) { operands.reads.push_back(id); }
  void Writes(BufferId id) { operands.writes.push_back(id); }
  void Layer(int) {}

  Operands operands;
};
struct WeightFinder {
  void Weight(WeightId id) {
    if (id != kNoWeight) ids.push_back(id);
  }
  void Reads(BufferId) {}
  void Writes(BufferId) {}
  void Layer(int) {}

  std::vector<WeightId> ids;
};

// Returns the name of the first weight that no operation reads; "" if there is none.
std::string UnreadWeight(const Program& program) {
  std::vector<bool> read(program.weights.size(), false);
  for (const OpSequence* stage : {&program.encoder, &program.decoder}) {
    for (const Op& op : stage->ops) {
      for (const WeightId id : WeightsOf(op)) read[static_cast<size_t>(id)] = true;
    }
  }
  const auto unread = std::find(read.begin(), read.end(), false);
  return unread == read.end() ? "" : program.weights[unread - read.begin()].name;
}

}  // namespace

kernels::KvLayout Program::KvOf(int layer) const {
  kernels::KvLayout of_layer = kv;
  if (!heads.empty()) {
    of_layer.heads = heads[static_cast<size_t>(layer)].heads;
    of_layer.head_dim = heads[static_cast<size_t>(layer)].head_dim;
  }
  return of_layer;
}

std::span<const OutputOp> Program::outputs() const {
  const auto& last = decoder.ops.back().what;
  if (const auto* one = std::get_if<OutputOp>(&last)) return {one, 1};
  return std::get<EnsembleOutputOp>(last).members;
}

int64_t ParameterCount(const Program& program) {
  int64_t count = 0;
  for (const Weight& weight : program.weights) {
    const bool is_of_positions =
        weight.role == WeightRole::kPositions || weight.role == WeightRole::kRelativeBias;
    if (!is_of_positions) count += weight.elements();
  }
  return count;
}

Operands OperandsOf(const Op& op) {
  OperandFinder finder;
  std::visit([&finder](const auto& what) { VisitIds(what, finder); }, op.what);
  return std::move(finder.operands);
}

std::vector<WeightId> WeightsOf(const Op& op) {
  WeightFinder finder;
  std::visit([&finder](const auto& what) { VisitIds(what, finder); }, op.what);
  return std::move(finder.ids);
}

absl::Status CheckProgram(const Program& program) {
  const auto layers = static_cast<size_t>(program.kv.layers);
  if (!program.heads.empty() && program.heads.size() != layers) {
    return absl::InternalError("network: not every decoder layer has heads");
  }
  for (const LayerHeads& of : program.heads) {
    if (of.heads * of.head_dim != program.kv.width()) {
      return absl::InternalError("network: decoder layers differ in their width");
    }
  }
  for (const auto& [name, stage] :
       {std::pair{"encoder", &program.encoder}, std::pair{"decoder", &program.decoder}}) {
    OpChecker checker(program, *stage);
    for (const Op& op : stage->ops) {
      if (const std::string why = checker.Check(op); !why.empty()) {
        return absl::InternalError(absl::StrCat("network: ", name, ": '", op.name, "' ", why));
      }
    }
  }
  if (program.decoder.ops.empty() ||
      (!std::holds_alternative<OutputOp>(program.decoder.ops.back().what) &&
       !std::holds_alternative<EnsembleOutputOp>(program.decoder.ops.back().what))) {
    return absl::InternalError("network: the decoder does not end with its output layer");
  }
  if (const std::string unread = UnreadWeight(program); !unread.empty()) {
    return absl::InternalError(absl::StrCat("network: no operation reads '", unread, "'"));
  }
  return absl::OkStatus();
}

void NotOfThisStage() { std::abort(); }

void JoinCrossLayers(int layers, Program* program) {
  std::vector<Op> joined;
  OpSequence& encoder = program->encoder;
  for (size_t i = 0; i < encoder.ops.size(); ++i) {
    const auto* write = i == 0 ? nullptr : std::get_if<WriteCrossKvOp>(&encoder.ops[i].what);
    auto* product = joined.empty() ? nullptr : std::get_if<ProductOp>(&joined.back().what);
    if (write == nullptr || product == nullptr) {
      joined.push_back(encoder.ops[i]);
      continue;
    }
    // The last operation of `joined` is the product of the layer that `write` writes. For the first
    // layer of a group, product and write stay. For a later layer, the two operations before that
    // product are the group's product and write. They grow, and the layer's own product and write
    // are left out.
    const auto* before =
        joined.size() < 3 ? nullptr : std::get_if<ProductOp>(&joined[joined.size() - 3].what);
    if (write->first_layer % layers == 0 || before == nullptr ||
        before->weight != product->weight) {
      joined.push_back(encoder.ops[i]);
      continue;
    }
    const int64_t rows = product->rows;
    joined.pop_back();
    std::get<ProductOp>(joined[joined.size() - 2].what).rows += rows;
    std::get<WriteCrossKvOp>(joined.back().what).layers += write->layers;
  }
  encoder.ops = std::move(joined);
  for (const Op& op : encoder.ops) {
    if (const auto* write = std::get_if<WriteCrossKvOp>(&op.what)) {
      int64_t& width = encoder.buffers[static_cast<size_t>(write->kv)].width;
      width = std::max<int64_t>(width, int64_t{2} * write->layers * program->kv.width());
    }
  }
}

}  // namespace dragoman::engine
