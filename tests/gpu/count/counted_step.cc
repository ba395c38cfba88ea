#include "tests/gpu/count/counted_step.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <iterator>
#include <string_view>
#include <variant>

#include "kernels/ops/few_rows.h"
#include "kernels/ops/output_layer_cuda.h"
#include "kernels/ops/quantized_linear.h"
#include "tests/gpu/count/counted_output.h"

namespace dragoman::bench {
namespace {

// Facts about a kernel in addition to the bytes that it must move and the flop that it must
// compute.
struct Shape {
  const char* kernel = "";  // part of its mangled name; "": cuBLASLt's
  int waits = 0;            // loads of a warp that wait for each other
  int64_t blocks = 0;
  int64_t block_warps = 4;
  int64_t turns = 1;          // of a block that takes further work after its first
  bool in_l2 = false;         // reads what the node before has written
  bool overlaps = true;       // begins while the node before ends, if the card can
  const char* argument = "";  // part of the template arguments, if `kernel` is ambiguous
  int64_t instructions = 0;   // of all warps together; 0: not counted
  double chain_cycles = 0;    // of a warp's dependent products, in addition to the rest
  double bytes_again = 0;     // read from L2 by further blocks, not part of the cost
  double bytes_early = 0;     // loaded before the node before has ended, if it overlaps
};

// Instructions of a warp in the loops of encoder attention, for a tile of 32 positions at head_dim
// 64 (machine code for 9.0), and the number of rows of a warp.
constexpr int64_t kTensorTileInstructions = 276;
constexpr int64_t kTensorWarpRows = 16;
constexpr int64_t kPlainTileInstructions = 1133;
constexpr int64_t kPlainWarpRows = 4;

// The latency, in cycles, of a tensor core product whose sum is the input of the next product.
constexpr double kProductLatency = 33;

// Int8 products of the layers (kernels/ops/quantized_linear_cuda.cu): the bytes of k in a slab; the
// instructions of a warp for the end of a tile of 128, which is its machine code without the loop
// (a quarter of that for a tile of 64). For products of few rows: the instructions to quantize 256
// numbers of a row, and all other instructions.
constexpr int64_t kQuantizedSlab = 64;
constexpr double kQuantizedEndInstructions = 1500;
constexpr int64_t kQuantizedStretchInstructions = 55;
constexpr int64_t kQuantizedFewInstructions = 160;

constexpr double kBlockSeconds = 0.1e-6;  // to begin a block on a multiprocessor

int64_t Divided(int64_t n, int64_t by) { return (n + by - 1) / by; }

struct Term {
  double seconds;
  Bound bound;
};

Term Longest(std::initializer_list<Term> terms) {
  return *std::max_element(terms.begin(), terms.end(),
                           [](const Term& a, const Term& b) { return a.seconds < b.seconds; });
}

class Counter {
 public:
  Counter(const CountedCard& card, const FiguresByKernel& figures, bool graph)
      : card_(card), figures_(figures), graph_(graph) {}

  // Counts `nodes` nodes with a kernel of our own. `cost` is the sum over all nodes.
  void Kernel(std::string name, int64_t nodes, const engine::OpCost& cost, const Shape& shape) {
    if (nodes == 0) return;
    CountedNode node;
    node.name = std::move(name);
    node.kernel = shape.kernel;
    node.nodes = nodes;
    node.cost = cost;
    node.waits = shape.waits;
    node.figures = FiguresOf(shape.kernel, shape.argument);
    const double each = 1.0 / static_cast<double>(nodes);
    const double early = shape.overlaps && card_.overlaps ? shape.bytes_early : 0;
    const double first = cost.bytes * each - early;
    const double again = shape.in_l2 || shape.bytes_again > 0 ? first + shape.bytes_again : 0;
    const double l2 =
        again / (card_.memory_share * Reached(card_.l2_bytes_per_second, shape.blocks));
    node.l2_bytes = static_cast<double>(nodes) * again;
    node.l2_seconds = static_cast<double>(nodes) * l2;
    const double memory =
        shape.in_l2
            ? 0
            : first / (card_.memory_share * Reached(card_.memory_bytes_per_second, shape.blocks));
    const double waits = Rounds(shape, node.figures.warps) * static_cast<double>(shape.turns) *
                         shape.waits * card_.wait_seconds;
    const double blocks =
        static_cast<double>(Divided(shape.blocks, card_.multiprocessors)) * kBlockSeconds;
    const double instructions = static_cast<double>(shape.instructions) /
                                (card_.issue_share * card_.instructions_per_second *
                                 static_cast<double>(Busy(shape.blocks)));
    const Term longest = Longest({{memory, Bound::kMemory},
                                  {l2, Bound::kL2},
                                  {waits, Bound::kWaits},
                                  {blocks, Bound::kBlocks},
                                  {instructions, Bound::kInstructions}});
    node.bound = longest.bound;
    node.seconds = static_cast<double>(nodes) * (Start(shape.overlaps) + longest.seconds +
                                                 shape.chain_cycles / card_.cycles_per_second);
    nodes_.push_back(std::move(node));
  }

  // Counts `nodes` nodes with a kernel of cuBLASLt, which begins when the node before has ended.
  void Product(std::string name, int64_t nodes, const engine::OpCost& cost, int64_t rows,
               int64_t out) {
    if (nodes == 0) return;
    CountedNode node;
    node.name = std::move(name);
    node.nodes = nodes;
    node.cost = cost;
    const double each = 1.0 / static_cast<double>(nodes);
    const int64_t blocks = Divided(rows, kOutputTileRows) * Divided(out, kOutputTileColumns / 4);
    const double bytes = cost.bytes * each / Reached(card_.memory_bytes_per_second, blocks);
    const double flop = cost.flop * each / (card_.layer_product_share * card_.flop_per_second);
    const Term longest = Longest({{card_.product_seconds, Bound::kLeast},
                                  {bytes, Bound::kMemory},
                                  {flop, Bound::kProducts}});
    node.bound = longest.bound;
    node.seconds = static_cast<double>(nodes) * (Start(false) + longest.seconds);
    nodes_.push_back(std::move(node));
  }

  // Counts the fused output layer that uses wgmma. Every block of rows reads the weights of all
  // tiles, `weight_bytes`, while other tiles are multiplied and folded. d: elements of a hidden
  // row.
  void FusedOutput(const engine::OpCost& cost, int64_t rows, int64_t d, int64_t vocabulary,
                   double weight_bytes) {
    const bool quantized = card_.quantized_output;
    CountedNode node;
    node.name = engine::step_op::kFused;
    node.kernel = quantized ? "Int8OutputKernelILi4E" : "FusedOutputKernelI6__halfLi4E";
    node.nodes = 1;
    node.cost = cost;
    node.figures = FiguresOf(node.kernel);
    const double cycles =
        HopperOutputCycles({rows, d, vocabulary, quantized, card_.multiprocessors});
    const double bytes = cost.bytes / (card_.memory_share * card_.memory_bytes_per_second);
    node.l2_bytes = static_cast<double>(Divided(rows, kOutputTileRows)) * weight_bytes;
    node.l2_seconds = node.l2_bytes / card_.l2_bytes_per_second;
    TakeOutput(std::move(node),
               {{cycles / card_.cycles_per_second, Bound::kProducts}, {bytes, Bound::kMemory}});
  }

  // Counts the fused output layer that uses mma.sync. Its blocks run in waves, and each block reads
  // the hidden rows again for every tile.
  void MmaOutput(const engine::OpCost& cost, int64_t rows, int64_t d, int64_t vocabulary,
                 double weight_bytes) {
    CountedNode node;
    node.name = engine::step_op::kFused;
    const bool quantized = card_.quantized_output;
    node.kernel = quantized ? "Int8MmaKernelILi4E" : "FusedMmaKernelI6__halfLi4E";
    node.nodes = 1;
    node.cost = cost;
    node.figures = FiguresOf(node.kernel);
    const double flop_per_cycle = card_.mma_rate * card_.flop_per_second / card_.cycles_per_second /
                                  static_cast<double>(card_.multiprocessors);
    const double cycles = MmaOutputCycles({rows, d, vocabulary, quantized, card_.multiprocessors},
                                          flop_per_cycle, card_.issue_share);
    const double bytes = cost.bytes / (card_.memory_share * card_.memory_bytes_per_second);
    node.l2_bytes = static_cast<double>(Divided(rows, kOutputTileRows)) * weight_bytes *
                    static_cast<double>(kOutputTileRows + kOutputTileColumns) /
                    static_cast<double>(kOutputTileColumns);
    node.l2_seconds = node.l2_bytes / card_.l2_bytes_per_second;
    TakeOutput(std::move(node),
               {{cycles / card_.cycles_per_second, Bound::kProducts}, {bytes, Bound::kMemory}});
  }

  // Counts the tiles of a layer's int8 product. `cost` is the sum over all nodes, in int8. The
  // blocks of a multiprocessor share its tensor cores. The end of each block but the last overlaps
  // with products of other blocks.
  void QuantizedTiles(std::string name, int64_t nodes, const engine::OpCost& cost, int64_t rows,
                      int64_t in, int64_t out) {
    CountedNode node;
    node.name = std::move(name);
    node.nodes = nodes;
    node.cost = cost;
    const auto tiles = [&](int64_t tile) { return Divided(rows, tile) * Divided(out, tile); };
    const int64_t tile = kernels::cuda::HasLargeTiles(rows, out, card_.multiprocessors) ? 128 : 64;
    node.kernel =
        tile == 128 ? "QuantizedTileKernelI6__halfLi128E" : "QuantizedTileKernelI6__halfLi64E";
    node.figures = FiguresOf(node.kernel);
    const auto t = static_cast<double>(tile);
    const double flop_per_cycle = card_.layer_product_share * card_.int8_rate *
                                  card_.flop_per_second / card_.cycles_per_second /
                                  static_cast<double>(card_.multiprocessors);
    const double products = 2 * t * t * kQuantizedSlab / flop_per_cycle;
    // Both operands are written once and read twice, by two warps.
    const double shared = 3 * 2 * t * kQuantizedSlab / card_.shared_bytes_per_cycle;
    const auto slabs = static_cast<double>(Divided(in, kQuantizedSlab));
    const auto turns = static_cast<double>(Divided(tiles(tile), card_.multiprocessors));
    const double end = kQuantizedEndInstructions * (t / 128) * (t / 128) / card_.issue_share;
    const double seconds = card_.wait_seconds + (turns * slabs * std::max(products, shared) + end) /
                                                    card_.cycles_per_second;
    const double each = 1.0 / static_cast<double>(nodes);
    const double bytes = cost.bytes * each /
                         (card_.memory_share * Reached(card_.memory_bytes_per_second, tiles(tile)));
    const double from_l2 = static_cast<double>(tiles(tile) * in) * 2 * t /
                           Reached(card_.l2_bytes_per_second, tiles(tile));
    node.l2_bytes = static_cast<double>(nodes * tiles(tile) * in) * 2 * t;
    node.l2_seconds = static_cast<double>(nodes) * from_l2;
    const Term longest = Longest({{card_.product_seconds, Bound::kLeast},
                                  {seconds, Bound::kProducts},
                                  {bytes, Bound::kMemory},
                                  {from_l2, Bound::kL2}});
    node.bound = longest.bound;
    node.seconds = static_cast<double>(nodes) * (Start(true) + longest.seconds);
    nodes_.push_back(std::move(node));
  }

  std::vector<CountedNode> Take() { return std::move(nodes_); }

 private:
  // Adds a fused output layer, which is bound by one of `terms` or by L2.
  void TakeOutput(CountedNode node, std::initializer_list<Term> terms) {
    const Term longest = Longest({Longest(terms), {node.l2_seconds, Bound::kL2}});
    node.bound = longest.bound;
    node.seconds = Start(true) + card_.product_seconds + longest.seconds;
    nodes_.push_back(std::move(node));
  }
  double Start(bool overlaps) const {
    if (!graph_) return card_.launch_seconds;
    return overlaps && card_.overlaps ? card_.overlapped_start_seconds : card_.start_seconds;
  }
  int64_t Busy(int64_t blocks) const {
    return std::max<int64_t>(1, std::min<int64_t>(blocks, card_.multiprocessors));
  }
  double Reached(double rate, int64_t blocks) const {
    return std::min(rate,
                    static_cast<double>(Busy(blocks)) * card_.multiprocessor_bytes_per_second);
  }
  double Rounds(const Shape& shape, int warps) const {
    if (warps <= 0) return 1;
    return std::ceil(static_cast<double>(shape.blocks * shape.block_warps) /
                     (static_cast<double>(warps) * card_.multiprocessors));
  }
  KernelFigures FiguresOf(const std::string& kernel, const char* argument = "") const {
    for (const auto& [symbol, figures] : figures_) {
      if (symbol.find(kernel) == std::string::npos) continue;
      if (symbol.find(argument) != std::string::npos) return figures;
    }
    return {};
  }

  const CountedCard& card_;
  const FiguresByKernel& figures_;
  const bool graph_;
  std::vector<CountedNode> nodes_;
};

const engine::ProductOp* ProductNamed(const engine::OpSequence& stage, std::string_view name) {
  for (const engine::Op& op : stage.ops) {
    const auto* product = std::get_if<engine::ProductOp>(&op.what);
    if (product != nullptr && op.name == name) return product;
  }
  return nullptr;
}

// Counts a product of a few rows with our own kernel, activation included, if the kernel supports
// the shape (kernels/ops/few_rows_cuda.cu). Returns false otherwise.
bool CountFewRows(const engine::StepCost& cost, const engine::ProductOp& op, int64_t in,
                  int64_t rows, const CountedCard& card, Counter* counter) {
  if (!card.few_rows || rows > kernels::cuda::kMostFewRows || in % 32 != 0 || op.rows % 8 != 0)
    return false;
  Shape shape;
  shape.kernel = "FewRowsKernelI6__half";
  shape.waits = 1;
  shape.blocks = op.rows / 8;
  const int64_t chain = in / 16;
  shape.chain_cycles = static_cast<double>(chain) * kProductLatency;
  shape.bytes_early = 2.0 * static_cast<double>(op.rows * in);  // weights
  shape.bytes_again =
      2.0 * static_cast<double>((shape.blocks - 1) * rows * in);  // x is read by each block
  counter->Kernel(cost.name, cost.launches, cost.cost, shape);
  return true;
}

// Counts an int8 product and, if it is a separate launch, the quantization of its rows. `cost` is
// that of 16 bits. In int8, W has half the bytes; x is still read and y still written in 16 bits.
void CountQuantizedProduct(const engine::StepCost& cost, const engine::ProductOp& op, int64_t in,
                           int64_t rows, Counter* counter) {
  const auto nodes = static_cast<double>(cost.launches);
  engine::OpCost quantized = cost.cost;
  quantized.bytes -= nodes * static_cast<double>(op.rows * in);
  Shape shape;
  if (rows <= kernels::cuda::kMostQuantizedFewRows) {
    shape.kernel = "QuantizedFewKernelI6__half";
    shape.waits = 1;  // the numbers of a row, in parallel
    shape.blocks = op.rows / 8;
    shape.block_warps = 16;
    shape.chain_cycles = static_cast<double>(Divided(in, 512)) * kProductLatency;
    shape.instructions = shape.blocks * (rows * Divided(in, 256) * kQuantizedStretchInstructions +
                                         16 * kQuantizedFewInstructions);
    shape.bytes_early = static_cast<double>(op.rows * in);
    shape.bytes_again = 2.0 * static_cast<double>((shape.blocks - 1) * rows * in);
    counter->Kernel(cost.name, cost.launches, quantized, shape);
    return;
  }
  shape.kernel = "QuantizeRowsKernelI6__half";
  shape.argument = "Int8";
  shape.waits = 1;  // the count and a row, in parallel
  shape.blocks = Divided(rows, 4);
  shape.in_l2 = true;
  counter->Kernel(std::string(cost.name) + kRowsQuantized, cost.launches,
                  {nodes * 3.0 * static_cast<double>(rows * in), 0}, shape);
  quantized.bytes -= nodes * static_cast<double>(rows * in);  // the rows are already quantized
  counter->QuantizedTiles(cost.name, cost.launches, quantized, rows, in, op.rows);
}

// Counts a product. If the product's epilogue does not support the activation, also counts the pass
// that applies the activation to the product's output.
void CountProduct(const engine::StepCost& cost, const engine::ProductOp& op, int64_t in,
                  int64_t rows, double element, const CountedCard& card, Counter* counter) {
  if (element == 2 && card.quantized_layers) {
    CountQuantizedProduct(cost, op, in, rows, counter);
    if (op.activation == kernels::Activation::kSwish) return;
  } else {
    if (element == 2 && CountFewRows(cost, op, in, rows, card, counter)) return;
    counter->Product(cost.name, cost.launches, cost.cost, rows, op.rows);
  }
  if (kernels::IsOfProduct(op.activation)) return;
  const auto elements = static_cast<double>(rows * op.rows);
  const engine::OpCost pass{2 * element * elements * static_cast<double>(cost.launches), 0};
  Shape shape;
  shape.kernel = "ActivateKernelI6__halfL";
  shape.waits = 1;  // the count and x, in parallel
  shape.blocks = Divided(rows * op.rows / 8, 256);
  shape.block_warps = 8;
  shape.in_l2 = true;
  counter->Kernel(std::string(cost.name) + ", activation", cost.launches, pass, shape);
}

Shape EncoderAttentionShape(int64_t heads, int64_t segments, int64_t tokens, bool tensor_cores) {
  const int64_t tiles = Divided(tokens, kernels::kPagePositions);
  const int64_t warp_rows = tensor_cores ? kTensorWarpRows : kPlainWarpRows;
  Shape shape;
  shape.blocks = heads * segments * Divided(tokens, shape.block_warps * warp_rows);
  shape.instructions = heads * segments * Divided(tokens, warp_rows) * tiles *
                       (tensor_cores ? kTensorTileInstructions : kPlainTileInstructions);
  if (tensor_cores) {
    shape.kernel = "TensorEncoderAttentionKernelI6__halfLi64E";
    shape.waits = 1 + static_cast<int>(tiles);  // the segment; each tile (queries with the first)
  } else {
    shape.kernel = "22EncoderAttentionKernelI6__halfLi64E";  // only in builds that have this kernel
    shape.waits = 1 + 2 * static_cast<int>(tiles);
  }
  return shape;
}

// Returns the number of dependent loads in self-attention: the number of rows; a row's number of
// positions and its pages; K, and V, of each tile. In code for 9.0 the source requests V together
// with K, but ptxas 13.0 places the loads of V after the products with K and before the softmax.
int SelfWaits(int tiles) { return 2 + 2 * tiles; }

// Up to this many rows, a warp of cross-attention takes one row
// (kernels/ops/cross_attention_cuda.cu).
constexpr int kCrossFewRows = 256;

// Returns the number of dependent loads in cross-attention: the number of rows and the row's slot;
// the source's length and its page; K, and V, of each tile. From 8.0 on, a warp with several rows
// loads K and V at the same time by asynchronous copies. Code for 9.0 reads the slot a second time.
int CrossWaits(const CountedCard& card, bool few_rows, int tiles) {
  if (few_rows || card.architecture == "75") return 2 + 2 * tiles;
  return (card.architecture == "90a" ? 3 : 2) + tiles;
}

Shape NormShape(int64_t rows) {
  Shape shape;
  shape.kernel = "AddLayerNormKernelI6__halfLi1ELi2E";
  shape.waits = 2;  // the count; x and the residual in parallel; gains and offsets
  shape.blocks = Divided(rows, 4);
  shape.in_l2 = true;
  return shape;
}

}  // namespace

std::vector<CountedNode> CountStep(const engine::StepWork& work, int bucket,
                                   const CountedCard& of_card, const FiguresByKernel& figures) {
  CountedCard card = of_card;
  // CudaStep launches these graphs without overlap.
  card.overlaps = card.overlaps && (card.quantized_layers || bucket <= kernels::cuda::kMostFewRows);
  const engine::Program& program = *work.program;
  const auto element = static_cast<double>(kernels::ElementBytes(work.type));
  const int64_t heads = program.kv.heads;
  const auto tiles = [](double positions) {
    return static_cast<int>(std::ceil(positions / kernels::kPagePositions));
  };
  // Materialized rows go through a buffer in chunks.
  const int64_t chunks = Divided(work.materialized_rows, kernels::cuda::kChunkRows);
  const int64_t chunk_rows = std::min<int64_t>(work.materialized_rows, kernels::cuda::kChunkRows);
  Counter counter(card, figures, true);
  for (const engine::StepCost& cost : engine::CostsOf(work)) {
    if (cost.launches == 0) continue;
    const std::string_view name = cost.name;
    Shape shape;
    if (const engine::ProductOp* product = ProductNamed(program.decoder, name);
        product != nullptr) {
      CountProduct(cost, *product, program.weight(product->weight).cols, bucket, element, card,
                   &counter);
      continue;
    }
    if (name == engine::step_op::kFused) {
      const engine::Weight& table = program.weight(program.output().table);
      const auto numbers = static_cast<double>(work.fused_rows * table.cols);
      const double bytes = card.quantized_output ? 1 : element;  // of one number
      const double weight_bytes = bytes * static_cast<double>(program.vocabulary() * table.cols);
      engine::OpCost products = cost.cost;
      if (card.quantized_output) {
        products.bytes /= element;
        shape = {"QuantizeRowsKernel", 1, Divided(bucket, 4)};
        shape.argument = "6__halfNS0_4Int8";
        shape.in_l2 = true;
        counter.Kernel(kQuantizeRows, 1, {numbers * (element + 1), 0}, shape);
        shape = {};
      }
      if (card.output == OutputCode::kMma) {
        counter.MmaOutput(products, work.fused_rows, table.cols, program.vocabulary(),
                          weight_bytes);
      } else {
        counter.FusedOutput(products, work.fused_rows, table.cols, program.vocabulary(),
                            weight_bytes);
      }
      const int64_t vocabulary_tiles = Divided(program.vocabulary(), kOutputTileColumns);
      shape.kernel = "MergeFusedKernel";
      shape.waits = 5;
      shape.blocks = bucket;
      shape.in_l2 = true;
      counter.Kernel(kMergeOfParts, 1, {static_cast<double>(work.rows * vocabulary_tiles) * 8, 0},
                     shape);
      continue;
    }
    if (name == engine::step_op::kLogits) {
      counter.Product(cost.name, chunks, cost.cost, chunk_rows, program.vocabulary());
      continue;
    }
    if (name == engine::step_op::kFoldMaterialized) continue;  // no row needs complete logits
    if (name == engine::step_op::kFoldLogits) {
      // Dependent loads: the row of the list, its request. The logits are counted as bytes.
      shape = {"FoldMaterializedKernelEPf", 3, chunk_rows, 16};
      counter.Kernel(cost.name, chunks, cost.cost, shape);
      continue;
    }
    if (name == engine::step_op::kBegin) {
      shape = {"BeginStepKernel", 22, 1, 32};  // half of the loads go over the bus
      shape.overlaps = false;
    } else if (name == engine::step_op::kPrepare) {
      shape = {"PrepareRowsKernel", 8, Divided(bucket, 64) + Divided(bucket, 2), 2};
    } else if (name == engine::step_op::kStepSlots) {
      // The number of workspaces that memory_plan.cc plans for a card of this size.
      const int64_t workspaces = std::min<int64_t>(bucket, int64_t{8} * card.multiprocessors);
      shape = {"StepSlotsKernel", 15, workspaces, 2, Divided(work.slots, workspaces)};
    } else if (name == engine::step_op::kDeliver) {
      shape = {"DeliverKernel", 4, std::min(bucket, 1024), 1};
    } else if (name == engine::step_op::kEnd) {
      shape = {"EndStepKernel", 5, 1, 32};
    } else if (name == "embedding") {
      shape = {"EmbedKernelI6__half", 3, Divided(bucket, 4)};
      shape.overlaps = false;
    } else if (name == "self-attention") {
      shape = {"DecodeSelfAttentionKernelI6__halfLi64E", SelfWaits(tiles(work.self_positions)),
               heads * Divided(bucket, 4)};
    } else if (name == "cross-attention") {
      const bool few = bucket <= kCrossFewRows;
      shape = {
          few ? "CrossAttentionKernelI6__halfLi64ELi1E" : "CrossAttentionKernelI6__halfLi64ELi4E",
          CrossWaits(card, few, tiles(work.source_positions)),
          heads * Divided(bucket, few ? 4 : 16)};
    } else {
      shape = NormShape(bucket);
    }
    counter.Kernel(cost.name, cost.launches, cost.cost, shape);
  }
  return counter.Take();
}

std::vector<CountedNode> CountEncoderPass(const engine::Program& program, kernels::ComputeType type,
                                          int segments, int tokens, const CountedCard& card,
                                          const FiguresByKernel& figures) {
  const auto element = static_cast<double>(kernels::ElementBytes(type));
  const int64_t of_pass = int64_t{segments} * tokens;
  engine::OpRows rows;
  rows.rows = static_cast<double>(of_pass);
  rows.segments = segments;
  rows.source_positions = tokens;
  rows.element_bytes = rows.weight_bytes = rows.kv_bytes = element;
  Counter counter(card, figures, false);
  for (const engine::StepCost& cost : engine::CostsByName(program.encoder, program, rows)) {
    const std::string_view name = cost.name;
    if (const engine::ProductOp* product = ProductNamed(program.encoder, name);
        product != nullptr) {
      CountProduct(cost, *product, program.weight(product->weight).cols, of_pass, element, card,
                   &counter);
    } else if (name == "self-attention") {
      counter.Kernel(cost.name, cost.launches, cost.cost,
                     EncoderAttentionShape(program.kv.heads, segments, tokens, card.tensor_cores));
    } else {
      counter.Kernel(cost.name, cost.launches, cost.cost, NormShape(of_pass));
    }
  }
  return counter.Take();
}

std::span<const CountedCard> CountedCards() {
  const auto of = [](CountedCard card, double clock, double flop, double memory) {
    const double clocks = clock / CountedCard().cycles_per_second;
    const double processors =
        card.multiprocessors / static_cast<double>(CountedCard().multiprocessors);
    card.cycles_per_second *= clocks;
    card.instructions_per_second *= clocks;
    card.multiprocessor_bytes_per_second *= clocks;
    card.l2_bytes_per_second *= clocks * processors;
    card.memory_bytes_per_second = memory;
    card.flop_per_second = flop;
    return card;
  };
  const auto older = [](CountedCard card) {
    card.overlaps = false;
    return card;
  };
  const auto by_mma = [](std::string_view name, std::string_view architecture, int processors) {
    CountedCard card;
    card.name = name;
    card.architecture = architecture;
    card.output = OutputCode::kMma;
    card.multiprocessors = processors;
    return card;
  };
  static const std::vector<CountedCard> cards = [&] {
    // Assumed, not measured here: mma.sync on Hopper has 0.63 of wgmma's rate.
    CountedCard h200;
    h200.mma_rate = 0.63;
    h200.int8_rate = 2 * h200.mma_rate;
    CountedCard h100 = h200;
    h100.name = "H100";
    CountedCard b200;
    b200.name = "B200";
    b200.architecture = "100";
    b200.multiprocessors = 148;
    b200.output = OutputCode::kMaterialized;
    CountedCard t4;
    t4.name = "T4";
    t4.architecture = "75";
    t4.multiprocessors = 40;
    t4.tensor_cores = t4.few_rows = false;
    t4.output = OutputCode::kMaterialized;
    t4 = older(of(t4, 1.35e9, 41e12, 0.22e12));
    t4.l2_bytes_per_second = 1.27e12;
    t4.shared_bytes_per_cycle = 64;
    // On GeForce cards, f32 sums of 16-bit products run at half the rate. Int8 products do not.
    CountedCard rtx = by_mma("RTX 5090", "120", 170);
    rtx.int8_rate = 4;
    return std::vector<CountedCard>{h200,
                                    of(h100, 1.75e9, 790e12, 3.0e12),
                                    of(b200, 1.85e9, 1800e12, 7.2e12),
                                    older(of(by_mma("A100", "80", 108), 1.41e9, 250e12, 1.84e12)),
                                    older(of(by_mma("L40S", "89", 142), 2.52e9, 290e12, 0.78e12)),
                                    of(rtx, 2.41e9, 168e12, 1.61e12),
                                    older(of(by_mma("L4", "89", 58), 2.04e9, 97e12, 0.27e12)),
                                    t4};
  }();
  return cards;
}

const char* BoundName(Bound bound) {
  switch (bound) {
    case Bound::kMemory:
      return "memory";
    case Bound::kL2:
      return "L2";
    case Bound::kProducts:
      return "products";
    case Bound::kWaits:
      return "waits";
    case Bound::kInstructions:
      return "instructions";
    case Bound::kBlocks:
      return "blocks";
    case Bound::kLeast:
      return "least";
  }
  return "";
}

double Seconds(const std::vector<CountedNode>& nodes) {
  double seconds = 0;
  for (const CountedNode& node : nodes) seconds += node.seconds;
  return seconds;
}

double OutputSeconds(const std::vector<CountedNode>& nodes) {
  constexpr std::string_view kOfOutput[] = {engine::step_op::kFused,
                                            kMergeOfParts,
                                            kQuantizeRows,
                                            engine::step_op::kLogits,
                                            engine::step_op::kGather,
                                            engine::step_op::kFoldLogits};
  double seconds = 0;
  for (const CountedNode& node : nodes) {
    if (std::ranges::find(kOfOutput, node.name) != std::end(kOfOutput)) seconds += node.seconds;
  }
  return seconds;
}

CountedWait WaitBehind(const std::vector<CountedNode>& pass, const std::vector<CountedNode>& step) {
  CountedWait wait;
  wait.pass_seconds = Seconds(pass);
  for (const CountedNode& node : pass) {
    if (node.nodes == 0) continue;
    wait.longest_kernel_seconds =
        std::max(wait.longest_kernel_seconds, node.seconds / static_cast<double>(node.nodes));
  }
  int64_t nodes = 0;
  for (const CountedNode& node : step) nodes += node.nodes;
  wait.seconds =
      std::min(wait.pass_seconds, static_cast<double>(nodes) * wait.longest_kernel_seconds);
  return wait;
}

std::string CountedText(const std::vector<CountedNode>& nodes) {
  char line[200];
  std::snprintf(line, sizeof(line), "%-30s %5s %9s %9s %9s %5s %5s %5s %9s %12s %9s\n", "node",
                "nodes", "MB", "L2 MB", "GFLOP", "regs", "warps", "waits", "L2 us", "bound by",
                "us");
  std::string text = line;
  CountedNode all;
  all.name = "all, counted";
  const auto append = [&](const CountedNode& node, const char* bound) {
    const std::string registers =
        node.figures.registers > 0 ? std::to_string(node.figures.registers) : "-";
    const std::string warps = node.figures.warps > 0 ? std::to_string(node.figures.warps) : "-";
    std::snprintf(line, sizeof(line),
                  "%-30s %5lld %9.1f %9.1f %9.1f %5s %5s %5d %9.1f %12s %9.1f\n", node.name.c_str(),
                  static_cast<long long>(node.nodes), node.cost.bytes / 1e6, node.l2_bytes / 1e6,
                  node.cost.flop / 1e9, registers.c_str(), warps.c_str(), node.waits,
                  node.l2_seconds * 1e6, bound, node.seconds * 1e6);
    text += line;
  };
  for (const CountedNode& node : nodes) {
    append(node, BoundName(node.bound));
    all.nodes += node.nodes;
    all.cost += node.cost;
    all.l2_bytes += node.l2_bytes;
    all.l2_seconds += node.l2_seconds;
    all.seconds += node.seconds;
  }
  append(all, "-");
  return text;
}

}  // namespace dragoman::bench
