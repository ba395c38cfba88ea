// Describes the network of a model as data: operations in order, with their buffers and weights.
// Each model family (engine/model/families) has a file that makes a Program from a ModelSpec.
// Executors run its operations one by one, as calls on the CPU or as launches on a GPU. Memory
// sizes, costs and the printed description are computed from it.
//
// A program does not depend on a device or a compute type. An operation does not depend on a
// family. README.md describes how to add a family.
//
// Plain values, immutable once made. Any thread may read them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "kernels/base/activation.h"
#include "kernels/base/kv_pages.h"
#include "kernels/base/mean_kind.h"
#include "kernels/base/no_token.h"

namespace dragoman::engine {

// The use of a weight. Executors choose the form in which they store a weight by its role. The
// brackets contain the number of rows and of columns.
enum class WeightRole : uint8_t {
  kEmbedding,    // [vocabulary, d]; may also be the output layer's matrix
  kMatrix,       // [out, in]: y = x W^T
  kBias,         // [1, out]: the bias of a product
  kPositions,    // [positions, d]
  kNormGain,     // [1, d]
  kNormBias,     // [1, d]
  kOutputBias,   // [1, vocabulary]; -inf for tokens that are never chosen
  kRelativeBias  // [heads, distances]: added to scores by the distance of key from query
};

// Reports whether weights of this role are float32 in every compute type.
constexpr bool StaysFloat32(WeightRole role) { return role >= WeightRole::kPositions; }

// An index into Program::weights. A matrix that several operations use (shared embeddings, a tied
// output layer) is one weight.
using WeightId = int32_t;
inline constexpr WeightId kNoWeight = -1;

struct Weight {
  std::string name;  // for logs and errors, like "decoder layer 1: feed-forward down"; unique
  WeightRole role = WeightRole::kMatrix;
  int64_t rows = 1;
  int64_t cols = 0;

  int64_t elements() const { return rows * cols; }
};

// An index into OpSequence::buffers.
using BufferId = int32_t;
inline constexpr BufferId kNoBuffer = -1;

// Memory for activations: a matrix with one row for each row of the encoder pass or decoder step,
// and `width` columns. The executor chooses the element type.
struct Buffer {
  const char* name = "";
  int64_t width = 0;
};

// y = scale * table[token] + positions[position]
struct EmbedOp {
  WeightId table = kNoWeight;
  WeightId positions = kNoWeight;  // kNoWeight: no positions are added
  float scale = 1.0F;
  BufferId y = 0;
  int32_t unplaced = kernels::kNoToken;  // the token whose embedding gets no position
};

// y = activation(x W^T + bias), where W consists of the rows first_row .. first_row + rows - 1 of
// the weight. So one operation can compute several products of one input, whose matrices are
// stacked in one weight, or a part of a product.
struct ProductOp {
  BufferId x = 0;
  BufferId y = 0;
  WeightId weight = kNoWeight;
  WeightId bias = kNoWeight;  // kNoWeight: no bias
  int64_t first_row = 0;
  int64_t rows = 0;
  kernels::Activation activation = kernels::Activation::kNone;
};

// y = activation(a) * b. A row of x is a | b, the row of a followed by the row of b.
struct GateOp {
  BufferId x = 0;  // twice as wide as y
  BufferId y = 0;
  int64_t width = 0;  // the width of y
  kernels::Activation activation = kernels::Activation::kNone;
};

enum class NormKind : uint8_t {
  kLayer,
  kRms  // RMSNorm: subtracts no mean and has no bias
};

// sum = x + residual, y = norm(sum)
struct AddNormOp {
  BufferId x = 0;
  BufferId residual = kNoBuffer;  // kNoBuffer: sum = x
  BufferId y = 0;                 // may be the buffer of x or residual
  BufferId sum = kNoBuffer;       // may be x or residual; kNoBuffer: the sum is not stored
  WeightId gain = kNoWeight;
  WeightId bias = kNoWeight;
  float epsilon = 0;
  NormKind kind = NormKind::kLayer;
};

// Encoder self-attention: every token attends over its complete segment. A row of qkv is q | k | v,
// of width 3 * heads * head_dim.
struct EncoderAttentionOp {
  BufferId qkv = 0;
  BufferId context = 0;
  int heads = 0;
  int head_dim = 0;
  // The relative position bias, for distances from 1 - max_positions to max_positions - 1.
  WeightId bias = kNoWeight;
};

// Writes K and V of cross-attention to the segments' pages, for the decoder layers first_layer ..
// first_layer + layers - 1. A row of kv is k | v of the first of these layers, then k | v of the
// next.
struct WriteCrossKvOp {
  BufferId kv = 0;
  int first_layer = 0;
  int layers = 1;
};

// Decoder self-attention: writes the row's K and V to its page, then attends over all positions of
// the row's hypothesis. A row of qkv is q | k | v.
struct SelfAttentionOp {
  BufferId qkv = 0;
  BufferId context = 0;
  int layer = 0;
  WeightId bias = kNoWeight;  // relative position bias, for distances from 1 - max_positions to 0
};

// The SSRU, which some models have in place of decoder self-attention: f = sigmoid(gate), state = f
// * old state + (1 - f) * x, y = max(0, state). A row of gate_x is gate | x. The state is stored in
// the row's self pages.
struct RecurrenceOp {
  BufferId gate_x = 0;  // twice as wide as y
  BufferId y = 0;
  int layer = 0;
};

// Computes the alignment of the rows that need one: the source position to which a row attends
// most. Writes no buffer.
struct AlignOp {
  BufferId q = 0;
  int layer = 0;
};

struct CrossAttentionOp {
  BufferId q = 0;
  BufferId context = 0;
  int layer = 0;
};

// The output layer, the last operation of a decoder step: logits = x W^T + bias. It reduces
// ("folds") the logits of each row to a LogitSummary (kernels/search/row.h), the input of the beam
// step.
struct OutputOp {
  BufferId x = 0;
  WeightId table = kNoWeight;
  WeightId bias = kNoWeight;
};

// The output layers of an ensemble's members, the last operation of a decoder step. Computes a
// LogitSummary from the mean of the members' predictions (kernels/ops/output_mean.h). Only
// JoinPrograms (ensemble_program.h) makes this operation, for GPUs.
struct EnsembleOutputOp {
  std::vector<OutputOp> members;  // all have the same vocabulary
  std::vector<float> weights;     // one per member, each above 0; their sum is 1
  kernels::MeanKind mean = kernels::MeanKind::kProbability;
};

struct Op {
  // The name in errors, profiler ranges and tables. It is the same in every layer.
  const char* name = "";
  int layer = -1;  // -1: the operation belongs to no layer
  std::variant<EmbedOp, ProductOp, GateOp, AddNormOp, EncoderAttentionOp, WriteCrossKvOp,
               SelfAttentionOp, RecurrenceOp, AlignOp, CrossAttentionOp, OutputOp, EnsembleOutputOp>
      what;
};

// The operations of a stage (encoder or decoder) in the order in which they run. An operation
// computes each row from the same row of its inputs. Only attention also reads other rows or pages.
struct OpSequence {
  std::vector<Buffer> buffers;
  std::vector<Op> ops;
};

// How the attention of a decoder layer divides its width into heads.
struct LayerHeads {
  int32_t heads = 0;
  int32_t head_dim = 0;
};

struct Program {
  std::vector<Weight> weights;
  OpSequence encoder;    // a row is a source token
  OpSequence decoder;    // a row is a hypothesis
  kernels::KvLayout kv;  // the pages of the decoder's self-attention and cross-attention
  // The heads of each decoder layer. Empty if all layers divide the width as `kv` does.
  std::vector<LayerHeads> heads;
  int64_t max_positions = 0;  // the largest length of a source and of a hypothesis, in tokens
  bool fits_float16 = true;   // activations stay within the range of float16

  const Weight& weight(WeightId id) const { return weights[static_cast<size_t>(id)]; }
  // Returns `kv` with the heads of this decoder layer.
  kernels::KvLayout KvOf(int layer) const;
  // Returns the output layers in the decoder's last operation: one, or one per member of an
  // ensemble. REQUIRES: CheckProgram returned OK.
  std::span<const OutputOp> outputs() const;
  const OutputOp& output() const { return outputs().front(); }
  int64_t vocabulary() const { return weight(output().table).rows; }  // of the target language
};

// Returns the number of parameters: the elements of all weights, except position embeddings and
// relative position biases.
int64_t ParameterCount(const Program& program);

// Checks that every operation belongs to its stage, that its layer exists, that its weights have
// the right roles and shapes and its buffers the right widths. Checks that no buffer is read before
// it is written, and that each weight is read by an operation. Otherwise returns INTERNAL with the
// name of the operation or weight: the model family's file is wrong.
absl::Status CheckProgram(const Program& program);

// Ends the process. Executors call this for an operation that they do not support in the current
// stage (encoder or decoder).
[[noreturn]] void NotOfThisStage();

// The buffers that an operation reads and writes.
struct Operands {
  std::vector<BufferId> reads;
  std::vector<BufferId> writes;
};
Operands OperandsOf(const Op& op);

// Returns the weights that an operation reads, in the order of the operation's members. Leaves out
// kNoWeight.
std::vector<WeightId> WeightsOf(const Op& op);

// Joins, for each group of `layers` decoder layers, the matrix products that compute K and V of
// cross-attention into one product. Also joins the WriteCrossKvOps that follow these products. This
// gives fewer and larger launches, and needs a wider buffer. Products with different weights, which
// belong to different members of an ensemble, are not joined. REQUIRES: the products with one
// weight use adjacent rows of it, in the order of layers. They are for at most `layers` layers, or
// for a multiple of `layers` layers.
void JoinCrossLayers(int layers, Program* program);

// Returns the program as text: weights, buffers and operations, one per line.
std::string ProgramText(const Program& program);

}  // namespace dragoman::engine
