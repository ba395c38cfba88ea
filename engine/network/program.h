// The network of a model as data: which operations run in which order, on which buffers, with which
// weights. A family's file (engine/model/families) makes one from a ModelSpec; executors (the CPU's
// calls, a device's launches) walk it; sizes, costs and the printed description are sums over it.
//
// A program knows no device and no compute type, an operation knows no family. What a further
// family needs is in README.md: some of it is other numbers here, some is another operation.
//
// Plain values, immutable once made; any thread may read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "kernels/base/activation.h"
#include "kernels/base/kv_pages.h"
#include "kernels/base/mean_kind.h"
#include "kernels/base/no_token.h"

namespace dragoman::engine {

// The use of a weight, which decides how a device holds it.
enum class WeightRole : uint8_t {
  kEmbedding,    // [vocabulary, d]; the output layer's matrix may be the same one
  kMatrix,       // [out, in]: y = x W^T
  kBias,         // [1, out] of a product
  kPositions,    // [positions, d]
  kNormGain,     // [1, d]
  kNormBias,     // [1, d]
  kOutputBias,   // [1, vocabulary]; may hold -inf, for tokens that never come
  kRelativeBias  // [heads, distances of a key from its query], as RelativeBias takes it
};

// float32 wherever the model runs: sums and scores are, and these go into them.
constexpr bool StaysFloat32(WeightRole role) { return role >= WeightRole::kPositions; }

// An index into Program::weights. Matrices that are one (shared embeddings, a tied output layer)
// are one weight with one index.
using WeightId = int32_t;
inline constexpr WeightId kNoWeight = -1;

struct Weight {
  std::string name;  // for people: "decoder layer 1: feed-forward down"; each has its own
  WeightRole role = WeightRole::kMatrix;
  int64_t rows = 1;
  int64_t cols = 0;

  int64_t elements() const { return rows * cols; }
};

// An index into OpSequence::buffers.
using BufferId = int32_t;
inline constexpr BufferId kNoBuffer = -1;

// Activations, [rows of the pass or step, width], of the compute type.
struct Buffer {
  const char* name = "";
  int64_t width = 0;
};

// y = scale * table[token] + positions[position]
struct EmbedOp {
  WeightId table = kNoWeight;
  WeightId positions = kNoWeight;  // none: nothing is added
  float scale = 1.0F;
  BufferId y = 0;
  int32_t unplaced = kernels::kNoToken;  // the token to which no position is added
};

// y = activation(x W^T + bias), with `rows` rows of the weight from `first_row` on: products with
// one input are one, and a part of one is one too.
struct ProductOp {
  BufferId x = 0;
  BufferId y = 0;
  WeightId weight = kNoWeight;
  WeightId bias = kNoWeight;  // none: nothing is added
  int64_t first_row = 0;
  int64_t rows = 0;
  kernels::Activation activation = kernels::Activation::kNone;
};

// y = activation(a) * b of rows a | b
struct GateOp {
  BufferId x = 0;  // twice as wide as y
  BufferId y = 0;
  int64_t width = 0;  // of y
  kernels::Activation activation = kernels::Activation::kNone;
};

enum class NormKind : uint8_t {
  kLayer,
  kRms  // no mean is taken off, and there is no bias
};

// sum = x + residual, y = norm(sum)
struct AddNormOp {
  BufferId x = 0;
  BufferId residual = kNoBuffer;  // none: sum = x
  BufferId y = 0;                 // may be x or residual
  BufferId sum = kNoBuffer;       // none: unused; may be x or residual
  WeightId gain = kNoWeight;
  WeightId bias = kNoWeight;
  float epsilon = 0;
  NormKind kind = NormKind::kLayer;
};

// Every token over all of its segment; qkv is q | k | v of width 3 * heads * head_dim.
struct EncoderAttentionOp {
  BufferId qkv = 0;
  BufferId context = 0;
  int heads = 0;
  int head_dim = 0;
  WeightId bias = kNoWeight;  // of distances from 1 - max_positions to max_positions - 1
};

// k | v of decoder layers first_layer .. first_layer + layers - 1, into the pages of the segments.
struct WriteCrossKvOp {
  BufferId kv = 0;
  int first_layer = 0;
  int layers = 1;
};

// Appends the row's K and V to its pages, then attends over its hypothesis.
struct SelfAttentionOp {
  BufferId qkv = 0;
  BufferId context = 0;
  int layer = 0;
  WeightId bias = kNoWeight;  // of distances from 1 - max_positions to 0
};

// In place of self-attention: state = f * state before + (1 - f) * x, f = sigmoid(gate) and
// y = max(0, state), of rows gate | x. The state is in the row's self pages.
struct RecurrenceOp {
  BufferId gate_x = 0;  // twice as wide as y
  BufferId y = 0;
  int layer = 0;
};

// The source position that a row attends to most, for the rows that ask for it. Reads q alone.
struct AlignOp {
  BufferId q = 0;
  int layer = 0;
};

struct CrossAttentionOp {
  BufferId q = 0;
  BufferId context = 0;
  int layer = 0;
};

// logits = x W^T + bias, folded into what a beam step needs. The last of a decoder step.
struct OutputOp {
  BufferId x = 0;
  WeightId table = kNoWeight;
  WeightId bias = kNoWeight;
};

// The output layers of an ensemble's members together: the mean of their predictions is folded
// (kernels/ops/output_mean.h). The last of a decoder step, made by JoinPrograms for devices.
struct EnsembleOutputOp {
  std::vector<OutputOp> members;  // of one vocabulary
  std::vector<float> weights;     // above 0, their sum 1
  kernels::MeanKind mean = kernels::MeanKind::kProbability;
};

struct Op {
  // The operation's name in errors, ranges and tables: one of a layer has its name in every layer.
  const char* name = "";
  int layer = -1;  // -1: of none
  std::variant<EmbedOp, ProductOp, GateOp, AddNormOp, EncoderAttentionOp, WriteCrossKvOp,
               SelfAttentionOp, RecurrenceOp, AlignOp, CrossAttentionOp, OutputOp, EnsembleOutputOp>
      what;
};

// Runs from the first operation to the last. Every operation computes rows apart from each other;
// attention alone reads those of others, through its tables.
struct OpSequence {
  std::vector<Buffer> buffers;
  std::vector<Op> ops;
};

// How a decoder layer divides its width.
struct LayerHeads {
  int32_t heads = 0;
  int32_t head_dim = 0;
};

struct Program {
  std::vector<Weight> weights;
  OpSequence encoder;    // a row is a source token
  OpSequence decoder;    // a row is a hypothesis
  kernels::KvLayout kv;  // of the decoder's attention, self and cross
  // It is empty unless layers divide their one width in different ways.
  std::vector<LayerHeads> heads;
  int64_t max_positions = 0;  // of a source, and of a hypothesis
  bool fits_float16 = true;   // activations stay within its range

  const Weight& weight(WeightId id) const { return weights[static_cast<size_t>(id)]; }
  // `kv` as this decoder layer divides it.
  kernels::KvLayout KvOf(int layer) const;
  // kNoWeight if there is none of this name.
  WeightId FindWeight(std::string_view name) const;
  // The output layers that the decoder's last operation folds, one for each member of an ensemble.
  // REQUIRES: CheckProgram returned OK.
  std::span<const OutputOp> outputs() const;
  const OutputOp& output() const { return outputs().front(); }
  int64_t vocabulary() const { return weight(output().table).rows; }  // of the target
};

// Elements of all weights but the tables of positions, which a family may compute; one that is used
// twice counts once.
int64_t ParameterCount(const Program& program);

// Whether every operation is one of its stage and fits its operands: widths, roles and shapes of
// weights, layers, no buffer read before it is written, and no weight that nothing reads. INTERNAL,
// naming the operation or the weight: a family's file is wrong.
absl::Status CheckProgram(const Program& program);

// Ends the process. Executors call it for an operation that CheckProgram keeps out of their stage.
[[noreturn]] void NotOfThisStage();

// The buffers of its stage that an operation reads and writes.
struct Operands {
  std::vector<BufferId> reads;
  std::vector<BufferId> writes;
};
Operands OperandsOf(const Op& op);

// The weights that an operation reads, in the order of its members; those that it does without are
// left out.
std::vector<WeightId> WeightsOf(const Op& op);

// Makes the products of cross-attention K/V that belong to different layers, each followed by the
// writing of its pages, one of `layers` layers: fewer and larger launches, for a wider buffer.
// Products of different weights, which are of different members of an ensemble, stay apart. REQUIRES:
// the products of one weight take adjacent rows of it, of layers that are a multiple of `layers` or
// fewer.
void JoinCrossLayers(int layers, Program* program);

// The program as text for people: the weights, buffers and operations, one on a line.
std::string ProgramText(const Program& program);

}  // namespace dragoman::engine
