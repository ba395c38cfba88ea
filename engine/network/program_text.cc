// Implements ProgramText of program.h, which describes a program as text.
#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "engine/network/buffers.h"
#include "engine/network/program.h"

namespace dragoman::engine {
namespace {

constexpr const char* kActivations[] = {"",
                                        ", relu",
                                        ", gelu",
                                        ", swish",
                                        ", tanh-gelu",
                                        ", clipped gelu",
                                        ", quick gelu",
                                        ", mish",
                                        ", leaky relu",
                                        ", relu6",
                                        ", squared relu",
                                        ", sigmoid",
                                        ", tanh",
                                        ", laplace"};
static_assert(std::size(kActivations) == std::size(kernels::kAllActivations));

constexpr const char* kRoles[] = {"embedding", "matrix",    "bias",        "positions",
                                  "norm gain", "norm bias", "output bias", "distances"};
static_assert(std::size(kRoles) == static_cast<size_t>(WeightRole::kRelativeBias) + 1);

class OpWriter {
 public:
  OpWriter(const Program& program, const OpSequence& stage) : program_(program), stage_(stage) {}

  std::string operator()(const EmbedOp& op) const {
    const std::string positions =
        op.positions == kNoWeight ? "" : absl::StrCat(" + ", W(op.positions), "[position]");
    const std::string but =
        op.unplaced == kernels::kNoToken ? "" : absl::StrCat(", but of token ", op.unplaced);
    return absl::StrCat(B(op.y), " = ", op.scale, " * ", W(op.table), "[token]", positions, but);
  }
  std::string operator()(const ProductOp& op) const {
    const Weight& weight = program_.weight(op.weight);
    const std::string part =
        op.rows == weight.rows ? ""
                               : absl::StrCat("[", op.first_row, ":", op.first_row + op.rows, "]");
    return absl::StrCat(B(op.y), " = ", B(op.x), " x ", W(op.weight), part,
                        op.bias == kNoWeight ? "" : " + bias",
                        kActivations[static_cast<size_t>(op.activation)]);
  }
  std::string operator()(const GateOp& op) const {
    const std::string x = B(op.x);
    return absl::StrCat(B(op.y), " = ", x, "[0:", op.width, "] times ", x, "[", op.width, ":",
                        2 * op.width, "]", kActivations[static_cast<size_t>(op.activation)],
                        " of the first");
  }
  std::string operator()(const AddNormOp& op) const {
    const std::string sum =
        op.residual == kNoBuffer ? B(op.x) : absl::StrCat(B(op.x), " + ", B(op.residual));
    const std::string kept = op.sum == kNoBuffer ? "" : absl::StrCat(B(op.sum), " = ");
    const char* norm = op.kind == NormKind::kRms ? " = RMS norm(" : " = layer norm(";
    return absl::StrCat(B(op.y), norm, kept, sum, "), epsilon ", op.epsilon);
  }
  std::string operator()(const EncoderAttentionOp& op) const {
    return absl::StrCat(B(op.context), " = attention(", B(op.qkv), Bias(op.bias), "), ", op.heads,
                        " heads of ", op.head_dim);
  }
  std::string operator()(const WriteCrossKvOp& op) const {
    return absl::StrCat("source pages of decoder layers ", op.first_layer, " to ",
                        op.first_layer + op.layers - 1, " = ", B(op.kv));
  }
  std::string operator()(const SelfAttentionOp& op) const {
    return absl::StrCat(B(op.context), " = attention(", B(op.qkv), ", pages of the hypothesis",
                        Bias(op.bias), "), ", Heads(op.layer));
  }
  std::string operator()(const RecurrenceOp& op) const {
    return absl::StrCat(B(op.y), " = relu(state), state = f * state before + (1 - f) * x of ",
                        B(op.gate_x), ", f = sigmoid(gate)");
  }
  std::string operator()(const AlignOp& op) const {
    return absl::StrCat("aligned = argmax attention(", B(op.q), ", source pages), rows that ask");
  }
  std::string operator()(const CrossAttentionOp& op) const {
    return absl::StrCat(B(op.context), " = attention(", B(op.q), ", source pages), ",
                        Heads(op.layer));
  }
  std::string operator()(const OutputOp& op) const {
    return absl::StrCat("logits = ", B(op.x), " x ", W(op.table), " + ", W(op.bias),
                        ", folded row by row");
  }
  std::string operator()(const EnsembleOutputOp& op) const {
    std::string text =
        op.mean == kernels::MeanKind::kProbability ? "log of the mean of" : "mean of the logs of";
    for (size_t m = 0; m < op.members.size(); ++m) {
      const OutputOp& member = op.members[m];
      absl::StrAppend(&text, m == 0 ? " " : ", ", op.weights[m], " * softmax(", B(member.x), " x ",
                      W(member.table), " + ", W(member.bias), ")");
    }
    return absl::StrCat(text, ", folded row by row");
  }

 private:
  std::string B(BufferId id) const { return stage_.buffers[static_cast<size_t>(id)].name; }
  std::string W(WeightId id) const { return absl::StrCat("'", program_.weight(id).name, "'"); }
  std::string Bias(WeightId id) const { return id == kNoWeight ? "" : absl::StrCat(", ", W(id)); }
  std::string Heads(int layer) const {
    const kernels::KvLayout kv = program_.KvOf(layer);
    return absl::StrCat(kv.heads, " heads of ", kv.head_dim);
  }

  const Program& program_;
  const OpSequence& stage_;
};

std::string Padded(std::string text, size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

void AppendStage(const char* name, const char* row, const Program& program, const OpSequence& stage,
                 std::string* text) {
  absl::StrAppend(text, "\n", name, ", a row is ", row, ", ", PlanBuffers(stage).width,
                  " elements each:\n");
  for (const Buffer& buffer : stage.buffers) {
    absl::StrAppend(text, "  ", Padded(buffer.name, 12), buffer.width, "\n");
  }
  const OpWriter writer(program, stage);
  for (const Op& op : stage.ops) {
    const std::string layer = op.layer < 0 ? "" : absl::StrCat(op.layer);
    absl::StrAppend(text, "  ", Padded(layer, 3), Padded(op.name, 20), std::visit(writer, op.what),
                    "\n");
  }
}

}  // namespace

std::string ProgramText(const Program& program) {
  std::string text = absl::StrCat(ParameterCount(program), " parameters, up to ",
                                  program.max_positions, " positions\n\nweights:\n");
  for (const Weight& weight : program.weights) {
    absl::StrAppend(&text, "  ", Padded(absl::StrCat("[", weight.rows, ", ", weight.cols, "]"), 16),
                    Padded(kRoles[static_cast<size_t>(weight.role)], 12), weight.name, "\n");
  }
  AppendStage("encoder", "a source token", program, program.encoder, &text);
  AppendStage("decoder", "a hypothesis", program, program.decoder, &text);
  return text;
}

}  // namespace dragoman::engine
