// Estimates the time of a decoding step, node by node of its graph. The inputs are the bytes and
// flop of each node from the program's own table of costs (engine/decode/cuda/step_costs.h), the
// machine code (registers, warps that a multiprocessor holds) and the number of dependent loads of
// a warp.
//
// This is NOT a measurement. It estimates what a change is worth while there is no card, with the
// same few constants for every node. Replace absolute times by those of dragoman_profile.
//
// The time of a node is
//   start + max(bytes / rate, flop / rate, instructions / rate, waits) + chain
// and that of the fused output layer is
//   start + max(bytes / rate, tiles of a block * (products + fold) + candidates)
// start    from the end of the node before to the first instruction of this one
// waits    dependent loads of a warp, times the latency, times the rounds of warps
// fold     of a tile of the vocabulary, which follows the tile's products without overlap
// candidates     the search for candidates, which takes longer in the first tiles of a block
//          (counted_output.h)
// chain    products of tensor cores that each need the sum of the one before
// instructions   of warps, if the kernel's loop was counted in its machine code
// bytes    at the rate of memory, or at that of L2 if the node before has just written them. The
//          rate is at most that of the multiprocessors that have a block. Bytes that several blocks
//          read come from memory once, and from L2 for every block: x of the products of a few
//          rows, and the weights of the fused output layer for each block of rows
//
// Pure.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/decode/cuda/step_costs.h"

namespace dragoman::bench {

// The code of the output layer: fused with wgmma, fused with mma.sync, or not fused, in which case
// the logits are materialized and folded.
enum class OutputCode { kHopper, kMma, kMaterialized };

// An H200 as the design counts it. The shares are those that similar kernels reach elsewhere.
struct CountedCard {
  std::string_view name = "H200";
  std::string_view architecture = "90a";  // of the machine code that the card runs
  OutputCode output = OutputCode::kHopper;
  int multiprocessors = 132;
  double memory_bytes_per_second = 4.3e12;
  double l2_bytes_per_second =
      5.5e12;  // a rate of reads that was measured elsewhere, not a share of a data sheet's rate
  double multiprocessor_bytes_per_second = 60e9;
  double flop_per_second = 790e12;
  double layer_product_share = 0.6;      // of flop_per_second
  double memory_share = 0.7;             // of the byte rates, for kernels bound by bytes
  double instructions_per_second = 7e9;  // of warps, on a multiprocessor: 4 at 1.75 GHz
  double issue_share = 0.6;              // of instructions_per_second
  double cycles_per_second = 1.75e9;
  double wait_seconds = 0.6e-6;              // of a load from memory
  double start_seconds = 1.5e-6;             // in a graph
  double overlapped_start_seconds = 0.7e-6;  // with a programmatic edge (kernels/cuda/kernel.cuh)
  bool tensor_cores = true;  // for encoder attention; cards before 8.0 lack the instructions
  bool overlaps = true;      // kernels of our own begin while the kernel before ends
  bool few_rows = true;  // products of a few rows use our own kernel, as the start-up trial allows
  // The fused output layer's products are int8 (output_products of engine/api/cuda_options.h):
  // twice the flop rate, half the bytes of W, and one more node. float8 is counted the same; its
  // sums are already f32.
  bool quantized_output = false;
  // The products of the layers are int8 with our own kernels (layer_products). The rate is
  // int8_rate times flop_per_second. The latter is wgmma's rate on Hopper, whereas the kernels use
  // mma.sync.
  bool quantized_layers = false;
  double int8_rate = 2;
  double mma_rate = 1;                  // mma.sync's rate of 16 bits, as the same multiple
  double shared_bytes_per_cycle = 128;  // of a multiprocessor's shared memory
  double launch_seconds = 3.5e-6;       // without a graph: the host's time for a launch
  double product_seconds = 2.0e-6;      // the least time of a cuBLASLt product, after its start
};

// H200, H100, B200, A100, L40S, RTX 5090, L4 and T4. The rates are those of the data sheets (dense
// flop of 16-bit types with f32 sums), times the shares that the design counts for an H200: 0.9 of
// the bytes, 0.8 of the flop. The rates of a T4 and its L2 are those that Jia et al. measured
// (arXiv 1903.07486). For the L2 of the other cards, bytes per cycle and multiprocessor are those
// of the H200.
std::span<const CountedCard> CountedCards();

// Figures of one kernel instantiation, from its machine code.
struct KernelFigures {
  int registers = 0;
  int warps = 0;  // that a multiprocessor can hold
};

// Figures by mangled name (machine_code.py --figures).
using FiguresByKernel = std::map<std::string, KernelFigures>;

// The name of the node that follows the fused output layer. No table of costs has this node.
inline constexpr char kMergeOfParts[] = "merge of its parts";
// The name of the node before the fused output layer that quantizes the layer's input rows.
inline constexpr char kQuantizeRows[] = "quantize its rows";
// The suffix of the launch that quantizes the rows of a layer's product: the launch has the
// product's name with this suffix.
inline constexpr char kRowsQuantized[] = ", rows";

// The longest of the terms of a node's time.
enum class Bound {
  kMemory,
  kL2,
  kProducts,      // of tensor cores, including the fold of the fused output layer
  kWaits,         // for dependent loads
  kInstructions,  // of warps
  kBlocks,        // the start of blocks
  kLeast,         // the least time of a cuBLASLt product
};

const char* BoundName(Bound bound);

// All nodes of one name.
struct CountedNode {
  std::string name;
  std::string kernel;  // "" for cuBLASLt's
  int64_t nodes = 0;
  engine::OpCost cost;  // the sum over all nodes
  // Bytes that all nodes read from L2: those that further blocks read again, and those that the
  // node before has just written.
  double l2_bytes = 0;
  double l2_seconds = 0;  // the time of these bytes
  int waits = 0;
  KernelFigures figures;  // zeros if unknown
  double seconds = 0;     // the sum over all nodes
  Bound bound = Bound::kMemory;
};

// Counts the nodes of the graph for `bucket` rows when work.rows rows are active.
std::vector<CountedNode> CountStep(const engine::StepWork& work, int bucket,
                                   const CountedCard& card, const FiguresByKernel& figures);

// Counts the launches of an encoder pass over `segments` segments of `tokens` tokens each.
// REQUIRES: a 16-bit type.
std::vector<CountedNode> CountEncoderPass(const engine::Program& program, kernels::ComputeType type,
                                          int segments, int tokens, const CountedCard& card,
                                          const FiguresByKernel& figures);

double Seconds(const std::vector<CountedNode>& nodes);

// The seconds of the nodes of the output layer: products and fold, the quantization of its rows and
// the merge, or materialized logits and their sweep.
double OutputSeconds(const std::vector<CountedNode>& nodes);

// How long a step waits at worst when it runs at the same time as an encoder pass. A GPU does not
// preempt kernels, so each node of the step may wait until the running kernel of the pass has
// ended. All waits together are at most as long as the pass.
struct CountedWait {
  double pass_seconds = 0;
  double longest_kernel_seconds = 0;  // of the pass
  double seconds = 0;
};
CountedWait WaitBehind(const std::vector<CountedNode>& pass, const std::vector<CountedNode>& step);

// Returns a table with a line for each name and a line for the sum: bytes and flop, the time of
// bytes from L2, the bound, and the time.
std::string CountedText(const std::vector<CountedNode>& nodes);

}  // namespace dragoman::bench
