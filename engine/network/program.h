// The network of a model as data: operations in order, with their buffers and weights. A family's
// file (engine/model/families) makes one from a ModelSpec. Executors (the CPU's calls, a device's
// launches) walk it. Sizes, costs and the printed description are sums over it.
//
// A program knows no device and no compute type; an operation knows no family. README.md describes
// how to add a family, with other numbers or with another operation.
//
// Plain values, immutable once made. Any thread may read.
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

// The use of a weight. It decides how a device stores the weight.
enum class WeightRole : uint8_t {
  kEmbedding,    // [vocabulary, d]; may also be the output layer's matrix
  kMatrix,       // [out, in]: y = x W^T
  kBias,         // [1, out] of a product
  kPositions,    // [positions, d]
  kNormGain,     // [1, d]
  kNormBias,     // [1, d]
  kOutputBias,   // [1, vocabulary]; -inf for tokens that are never chosen
  kRelativeBias  // [heads, distances of a key from its query] of RelativeBias
};

// Reports whether the weight is float32 in every compute type, as sums and scores are.
constexpr bool StaysFloat32(WeightRole role) { return role >= WeightRole::kPositions; }

// An index into Program::weights. A matrix with several uses (shared embeddings, a tied output
// layer) is one weight.
using WeightId = int32_t;
inline constexpr WeightId kNoWeight = -1;

struct Weight {
  std::string name;  // for readers: "decoder layer 1: feed-forward down"; unique
  WeightRole role = WeightRole::kMatrix;
  int64_t rows = 1;
  int64_t cols = 0;

  int64_t elements() const { return rows * cols; }
};

// An index into OpSequence::buffers.
using BufferId = int32_t;
inline constexpr BufferId kNoBuffer = -1;

// Activations [rows of the pass or step, width] of the compute type.
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
  int32_t unplaced = kernels::kNoToken;  // a token that gets no position
};

// y = activation(x W^T + bias), with `rows` rows of the weight from `first_row` on. One operation
// can join products of one input, or compute a part of a product.
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
  kRms  // no mean is subtracted, and there is no bias
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

// Every token attends over its whole segment. qkv is q | k | v of width 3 * heads * head_dim.
struct EncoderAttentionOp {
  BufferId qkv = 0;
  BufferId context = 0;
  int heads = 0;
  int head_dim = 0;
  WeightId bias = kNoWeight;  // of distances from 1 - max_positions to max_positions - 1
};

// Writes k | v of decoder layers first_layer .. first_layer + layers - 1 to the segments' pages.
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

// Replaces self-attention: state = f * old state + (1 - f) * x, f = sigmoid(gate) and y = max(0,
// state), of rows gate | x. The state is in the row's self pages.
struct RecurrenceOp {
  BufferId gate_x = 0;  // twice as wide as y
  BufferId y = 0;
  int layer = 0;
};

// Finds the source position with the most attention, for the rows that ask for it. Reads only q.
struct AlignOp {
  BufferId q = 0;
  int layer = 0;
};

struct CrossAttentionOp {
  BufferId q = 0;
  BufferId context = 0;
  int layer = 0;
};

// logits = x W^T + bias, folded into the input of a beam step. Ends a decoder step.
struct OutputOp {
  BufferId x = 0;
  WeightId table = kNoWeight;
  WeightId bias = kNoWeight;
};

// The output layers of an ensemble's members: folds the mean of their predictions
// (kernels/ops/output_mean.h). Ends a decoder step. JoinPrograms makes it, for devices.
struct EnsembleOutputOp {
  std::vector<OutputOp> members;  // of one vocabulary
  std::vector<float> weights;     // each above 0, with sum 1
  kernels::MeanKind mean = kernels::MeanKind::kProbability;
};

struct Op {
  // The name in errors, ranges and tables. It is the same in every layer.
  const char* name = "";
  int layer = -1;  // -1: of no layer
  std::variant<EmbedOp, ProductOp, GateOp, AddNormOp, EncoderAttentionOp, WriteCrossKvOp,
               SelfAttentionOp, RecurrenceOp, AlignOp, CrossAttentionOp, OutputOp, EnsembleOutputOp>
      what;
};

// Runs in order. Operations compute rows separately; only attention reads others, by its tables.
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
  // Empty, unless the layers divide their common width in different ways.
  std::vector<LayerHeads> heads;
  int64_t max_positions = 0;  // of a source, and of a hypothesis
  bool fits_float16 = true;   // activations stay within its range

  const Weight& weight(WeightId id) const { return weights[static_cast<size_t>(id)]; }
  // Returns `kv` as this decoder layer divides it.
  kernels::KvLayout KvOf(int layer) const;
  // Returns kNoWeight if no weight has this name.
  WeightId FindWeight(std::string_view name) const;
  // Returns the output layers that the decoder's last operation folds, one per member of an
  // ensemble. REQUIRES: CheckProgram returned OK.
  std::span<const OutputOp> outputs() const;
  const OutputOp& output() const { return outputs().front(); }
  int64_t vocabulary() const { return weight(output().table).rows; }  // of the target
};

// Returns the elements of all weights, each once, except positions and biases by distance.
int64_t ParameterCount(const Program& program);

// Checks that every operation belongs to its stage and fits its operands: widths, roles and shapes
// of weights, layers, no buffer read before it is written, and no weight that is never read.
// Returns INTERNAL with the name of the operation or weight: the family's file is wrong.
absl::Status CheckProgram(const Program& program);

// Ends the process. Executors call it for an operation that CheckProgram rejects in their stage.
[[noreturn]] void NotOfThisStage();

// The buffers that an operation reads and writes.
struct Operands {
  std::vector<BufferId> reads;
  std::vector<BufferId> writes;
};
Operands OperandsOf(const Op& op);

// Returns the weights that an operation reads, in the order of its members, without unused ones.
std::vector<WeightId> WeightsOf(const Op& op);

// Joins the cross-attention K/V products of up to `layers` layers, each with the write of its
// pages: fewer and larger launches, for a wider buffer. Products of different weights, which belong
// to different members of an ensemble, stay separate. REQUIRES: the products of one weight take
// adjacent rows of it; they are of a multiple of `layers` layers, or of fewer.
void JoinCrossLayers(int layers, Program* program);

// Returns the program as text: weights, buffers and operations, one per line.
std::string ProgramText(const Program& program);

}  // namespace dragoman::engine
