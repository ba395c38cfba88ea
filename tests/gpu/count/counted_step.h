// The time of a decoding step as it is counted, node by node of its graph: from what the program's
// own table of costs says each must move and compute (engine/decode/cuda/step_costs.h), from the
// machine code (registers, warps that a multiprocessor holds) and from how often a warp waits for
// memory, one load after the other.
//
// NOT a measurement: an estimate of what a change is worth while there is no card, with the same
// few figures for every node. Absolute times are to be replaced by those of dragoman_profile.
//
// A node takes
//   start + max(bytes / rate, flop / rate, instructions / rate, waits) + chain
// and the fused output layer
//   start + max(bytes / rate, tiles of a block * (products + fold) + candidates)
// start    from the end of the node before to this one's first instruction
// waits    dependent loads of a warp, times the latency, times the rounds of warps
// fold     of a tile of the vocabulary, after its products and not beside them; candidates: the look
//          for them, which is longer in a block's first tiles (counted_output.h)
// chain    products of tensor cores that wait for the sum of the one before
// instructions   of warps, where the kernel's loop has been counted in its machine code
// bytes    at the rate of memory, or of L2 for what the node before has just written; no more than
//          the multiprocessors with a block get. What several blocks read comes from memory once and
//          from L2 to all of them: x of the products of a few rows, the weights of the fused output
//          layer for each block of rows
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

// Whose code the output layer runs: wgmma's, mma.sync's, or none, and the logits are materialized and
// folded.
enum class OutputCode { kHopper, kMma, kMaterialized };

// An H200, as the design counts it; the shares are what such kernels reach elsewhere.
struct CountedCard {
  std::string_view name = "H200";
  std::string_view architecture = "90a";  // whose machine code it runs
  OutputCode output = OutputCode::kHopper;
  int multiprocessors = 132;
  double memory_bytes_per_second = 4.3e12;
  double l2_bytes_per_second =
      5.5e12;  // as reads of it have been measured elsewhere, no share of it
  double multiprocessor_bytes_per_second = 60e9;
  double flop_per_second = 790e12;
  double layer_product_share = 0.6;      // of the flop
  double memory_share = 0.7;             // of the bytes, of kernels that are bound by them
  double instructions_per_second = 7e9;  // of warps, on a multiprocessor: 4 at 1.75 GHz
  double issue_share = 0.6;              // of them
  double cycles_per_second = 1.75e9;
  double wait_seconds = 0.6e-6;              // of a load from memory
  double start_seconds = 1.5e-6;             // in a graph
  double overlapped_start_seconds = 0.7e-6;  // with a programmatic edge (kernels/cuda/kernel.cuh)
  bool tensor_cores = true;  // for encoder attention; cards before 8.0 have not the right ones
  bool overlaps = true;      // kernels of our own begin while the one before them ends
  bool few_rows = true;  // products of a few rows go by a kernel of our own, as the trial allows
  // The fused output layer's products are int8 (output_products of engine/api/cuda_options.h): twice the
  // flop, half the bytes of W, and a node more. float8 is counted as the same; its sums are f32 already.
  bool quantized_output = false;
  // The products of the layers are int8 by kernels of our own (layer_products): in mma.sync's rate of int8 as
  // a part of flop_per_second, which on Hopper is wgmma's.
  bool quantized_layers = false;
  double int8_rate = 2;
  double mma_rate = 1;                  // mma.sync's rate of 16 bits, as the same part
  double shared_bytes_per_cycle = 128;  // of a multiprocessor's shared memory
  double launch_seconds = 3.5e-6;       // without a graph: the host's
  double product_seconds = 2.0e-6;      // that one of cuBLASLt's takes at least, after its start
};

// H200, H100, B200, A100, L40S, RTX 5090, L4 and T4. Rates are those of the data sheets (flop of
// 16-bit types summed in f32, dense), times the shares that the design counts for an H200: 0.9 of
// the bytes, 0.8 of the flop. Of a T4 and its L2 they are those that Jia et al. measured (arXiv
// 1903.07486), and of the L2 of other cards the H200's bytes a cycle and multiprocessor.
std::span<const CountedCard> CountedCards();

// Figures of one instantiation of a kernel, from its machine code.
struct KernelFigures {
  int registers = 0;
  int warps = 0;  // on a multiprocessor
};

// Figures by mangled name (machine_code.py --figures).
using FiguresByKernel = std::map<std::string, KernelFigures>;

// The name of the node that follows the fused output layer, which no table of costs has.
inline constexpr char kMergeOfParts[] = "merge of its parts";
// And of the one before it, where its products are quantized.
inline constexpr char kQuantizeRows[] = "quantize its rows";
// The launch before a product of a layer, which quantizes its rows, has the product's name with this
// behind it.
inline constexpr char kRowsQuantized[] = ", rows";

// The longest of the terms of a node's time.
enum class Bound {
  kMemory,
  kL2,
  kProducts,      // of tensor cores, and the fold of the fused output layer with them
  kWaits,         // for loads, one after the other
  kInstructions,  // of warps
  kBlocks,        // that begin
  kLeast,         // what a product of cuBLASLt's takes at least
};

const char* BoundName(Bound bound);

// All nodes of one name.
struct CountedNode {
  std::string name;
  std::string kernel;  // "" for cuBLASLt's
  int64_t nodes = 0;
  engine::OpCost cost;  // of all of them
  // Bytes at the rate of L2, of all of them: what blocks read again, or the node before has just
  // written.
  double l2_bytes = 0;
  double l2_seconds = 0;  // that they take
  int waits = 0;
  KernelFigures figures;  // zeros where they are not known
  double seconds = 0;     // of all of them
  Bound bound = Bound::kMemory;
};

// The nodes of the graph for `bucket` rows in which work.rows are there.
std::vector<CountedNode> CountStep(const engine::StepWork& work, int bucket,
                                   const CountedCard& card, const FiguresByKernel& figures);

// The launches of an encoder pass over `segments` of `tokens` each. REQUIRES: 16 bits.
std::vector<CountedNode> CountEncoderPass(const engine::Program& program, kernels::ComputeType type,
                                          int segments, int tokens, const CountedCard& card,
                                          const FiguresByKernel& figures);

double Seconds(const std::vector<CountedNode>& nodes);

// The same of the output layer: products and fold, what quantizes its rows, the merge, or materialized
// logits and their sweep.
double OutputSeconds(const std::vector<CountedNode>& nodes);

// How long a step waits at worst beside an encoder pass. A GPU interrupts no kernel, so each node of
// the step may wait until the one of the pass that runs has ended, and for no more than the pass.
struct CountedWait {
  double pass_seconds = 0;
  double longest_kernel_seconds = 0;  // of the pass
  double seconds = 0;
};
CountedWait WaitBehind(const std::vector<CountedNode>& pass, const std::vector<CountedNode>& step);

// A line for each name, then the sum: what it moves and computes, the time of what comes from L2,
// what bounds it, and its time.
std::string CountedText(const std::vector<CountedNode>& nodes);

}  // namespace dragoman::bench
