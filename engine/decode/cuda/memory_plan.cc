#include "engine/decode/cuda/memory_plan.h"

#include <algorithm>
#include <cstdio>
#include <variant>

#include "absl/strings/str_cat.h"
#include "engine/decode/cuda/row_buckets.h"
#include "engine/decode/device_batch.h"
#include "engine/network/buffers.h"
#include "kernels/ops/linear_cuda.h"
#include "kernels/ops/output_layer_cuda.h"
#include "kernels/ops/quantized_linear.h"

namespace dragoman::engine {
namespace {

// BatchLimits::rules_words has room for the rules of all segments in slots. For each slot it
// includes a table of divisors and kRulesWordsPerSlot further words, which suffice for most
// segments. In addition, kLargeRules segments may have the largest possible rules, which are rare.
constexpr int kRulesWordsPerSlot = 64;
constexpr int kLargeRules = 16;

// The number of thread blocks of the beam step's kernel (StepSlotsKernel) that run at the same time
// on a multiprocessor. Each block handles one slot at a time and has a workspace of 0.5 MB. The
// larger number is the limit of the kernel's launch bounds. It is used if the additional workspaces
// take at most 1 / kMoreBlocksShare of the device's memory. A batch of many slots then needs fewer
// rounds, each of about 9 us (computed, not measured). With the smaller number, 132 multiprocessors
// need two rounds for 1,024 slots and eight for 4,096.
constexpr int kBlocksPerMultiprocessor = 4;
constexpr int kMostBlocksPerMultiprocessor = 8;
constexpr int64_t kMoreBlocksShare = 256;

// If one product computes the cross-attention K and V of all decoder layers, there are fewer
// launches. But the product's buffer leaves less memory for pages. So the buffer may take at most 1
// / kCrossBufferShare of the device's memory.
constexpr int64_t kCrossBufferShare = 50;

// The index of the line about the batch tables in MemoryPlan::lines.
constexpr size_t kTableLine = 1;

std::string Size(int64_t bytes) {
  char text[32];
  const auto size = static_cast<double>(bytes);
  if (bytes < int64_t{1} << 30) {
    std::snprintf(text, sizeof(text), "%.1f MiB", size / (1 << 20));
  } else {
    std::snprintf(text, sizeof(text), "%.2f GiB", size / (1 << 30));
  }
  return text;
}

// Returns the number of bytes that CudaEncoder allocates.
int64_t EncoderBytes(const MemoryRequest& r) {
  const int64_t inputs = 5 * (r.encoder_tokens + 1) * static_cast<int64_t>(sizeof(int32_t));
  return inputs +
         PlanBuffers(r.program.encoder).Bytes(r.encoder_tokens, kernels::ElementBytes(r.type)) +
         ProductWorkspaceBytes(r.program, r.program.encoder, r.encoder_tokens, r.quantized_layers);
}

// Returns the number of bytes that CudaStep allocates, except for tables, logits and the fused
// layer's workspace.
int64_t DecoderBytes(const MemoryRequest& r, const kernels::BatchLimits& limits) {
  const int64_t d = r.program.weight(r.program.output().table).cols;
  const int64_t gathered = r.fused ? LogitRows(limits) : 0;
  return PlanBuffers(r.program.decoder)
             .Bytes(ProductRows(limits.max_rows), kernels::ElementBytes(r.type)) +
         gathered * d * kernels::ElementBytes(r.type) +
         ProductWorkspaceBytes(r.program, r.program.decoder, ProductRows(limits.max_rows),
                               r.quantized_layers);
}

int64_t TableBytes(const kernels::BatchLimits& limits) {
  kernels::BatchTables tables;
  return kernels::CarveBatch(limits, nullptr, &tables);
}

absl::Status TooLittle(const MemoryRequest& r, int64_t budget, int64_t least_page_bytes,
                       const MemoryPlan& plan) {
  int64_t needed = least_page_bytes;
  std::string text;
  for (const MemoryLine& line : plan.lines) {
    needed += line.bytes;
    absl::StrAppend(&text, "\n  ", line.what, ": ", Size(line.bytes));
  }
  absl::StrAppend(&text, "\n  K/V pages at least: ", Size(least_page_bytes));
  char fraction[16];
  std::snprintf(fraction, sizeof(fraction), "%.2f", r.fraction);
  return absl::InvalidArgumentError(absl::StrCat(
      "device memory: found ", Size(std::max<int64_t>(budget, 0)), " (", fraction, " of ",
      Size(r.device_bytes), " less ", Size(r.device_bytes - r.free_bytes),
      " that are in use), expected ", Size(needed), ":", text, "\nLower --max-rows (",
      r.batch.max_rows, ")",
      r.batch.lanes > 0 ? absl::StrCat(" or lanes of the schedule (", r.batch.lanes, ")") : "",
      r.kv_bytes > 0 ? absl::StrCat(" or --kv-memory-mb (", r.kv_bytes >> 20, ")") : "",
      r.type == kernels::ComputeType::kFloat32 ? " or choose --compute-type float16" : "",
      r.fraction < 1 ? " or raise --device-memory-fraction" : ""));
}

int StepWorkspaces(const MemoryRequest& r, const kernels::BatchLimits& limits) {
  kernels::BatchLimits least = limits;
  kernels::BatchLimits most = limits;
  least.workspaces = std::min(limits.max_rows, kBlocksPerMultiprocessor * r.multiprocessors);
  most.workspaces = std::min(limits.max_rows, kMostBlocksPerMultiprocessor * r.multiprocessors);
  const int64_t more = TableBytes(most) - TableBytes(least);
  return more <= r.device_bytes / kMoreBlocksShare ? most.workspaces : least.workspaces;
}

constexpr int64_t Aligned(int64_t bytes) {
  return (bytes + kQuantizedAlignment - 1) / kQuantizedAlignment * kQuantizedAlignment;
}

}  // namespace

int64_t LogitRows(const kernels::BatchLimits& limits) {
  return ProductRows(std::min<int64_t>(limits.materialized_rows, kernels::cuda::kChunkRows));
}

int64_t EncoderTokens(const Program& program) {
  return std::max(kEncodeChunkTokens, program.max_positions);
}

bool JoinsCrossLayers(const Program& program, kernels::ComputeType type, int64_t device_bytes) {
  const int64_t buffer = EncoderTokens(program) * program.kv.layers * 2 * program.kv.width() *
                         kernels::ElementBytes(type);
  return buffer <= device_bytes / kCrossBufferShare;
}

kernels::BatchLimits BatchLimitsOf(const MemoryRequest& r) {
  kernels::BatchLimits limits = LimitsOf(r.batch, 0);
  const int max_rows = limits.max_rows;
  // With a fused layer, materialized rows are rare (sampling, repetition penalty, beams above 16),
  // so a step may have at most one chunk of them. Without it, every row is materialized.
  limits.materialized_rows = r.fused ? std::min(max_rows, kernels::cuda::kChunkRows) : max_rows;
  limits.materialized_workspaces =
      std::min({limits.materialized_rows, kernels::cuda::kChunkRows, r.multiprocessors});
  limits.rules_words =
      kLargeRules * limits.rules_words + max_rows * (limits.positions + kRulesWordsPerSlot);
  limits.workspaces = StepWorkspaces(r, limits);
  return limits;
}

absl::StatusOr<MemoryPlan> PlanMemory(const MemoryRequest& r) {
  const auto share = static_cast<int64_t>(static_cast<double>(r.device_bytes) * r.fraction);
  const int64_t budget = share - (r.device_bytes - r.free_bytes);
  const int64_t page_bytes = r.program.kv.ElementsPerPage() * kernels::ElementBytes(r.type);
  const int64_t least_cross = 2 * int64_t{r.longest_source};
  const int64_t least_self = kernels::WorstCasePages(r.default_beam, kernels::kPagePositions);
  const int64_t least_pages = least_cross + least_self;

  MemoryPlan plan;
  plan.limits = BatchLimitsOf(r);
  plan.limits.self_pages = static_cast<int32_t>(least_self);

  const int64_t logits = LogitRows(plan.limits) * LogitStride(plan.limits.vocabulary) *
                         static_cast<int64_t>(r.program.outputs().size() * sizeof(float));
  plan.lines = {
      {absl::StrCat("weights, ", kernels::ComputeTypeName(r.type),
                    r.quantized_layers ? ", those of the layers in int8, too" : ""),
       r.weight_bytes + (r.quantized_layers ? QuantizedWeightBytes(r.program) : 0)},
      {absl::StrCat("batch tables of ", plan.limits.max_rows, " rows, ", plan.limits.lanes,
                    " lanes, ", plan.limits.positions, " positions"),
       TableBytes(plan.limits)},
      {absl::StrCat("logits of ", LogitRows(plan.limits), " rows, f32"), logits},
      {"fused output layer", r.fused_bytes},
      {"decoder activations", DecoderBytes(r, plan.limits)},
      {absl::StrCat("encoder activations of ", r.encoder_tokens, " tokens"), EncoderBytes(r)},
      {absl::StrCat("graphs of ", StepGraphs::Count(plan.limits.max_rows, r.fused), " steps"),
       StepGraphBytes(r.program, plan.limits.max_rows, r.fused, r.quantized_layers)},
  };
  int64_t fixed = 0;
  for (const MemoryLine& line : plan.lines) fixed += line.bytes;

  // Each self page needs a word in the batch tables, for the list of free pages. So the number of
  // pages is reduced until pages and tables fit together. If kv_bytes was set, the number is not
  // reduced: either it fits, or the plan fails.
  int64_t pages = r.kv_bytes > 0 ? r.kv_bytes / page_bytes : (budget - fixed) / page_bytes;
  const int64_t least = r.kv_bytes > 0 ? pages : least_pages;
  const int64_t table_bytes = plan.lines[kTableLine].bytes;
  for (;; --pages) {
    if (budget < fixed || pages < least) {
      plan.lines[kTableLine].bytes = table_bytes;
      return TooLittle(r, budget, least * page_bytes, plan);
    }
    const int64_t bytes = std::max<int64_t>(pages * page_bytes, 1);
    plan.pages = PlanPagesOf({r.batch.max_rows, bytes, r.longest_source}, page_bytes);
    plan.limits.self_pages = plan.pages.self_pages;
    plan.lines[kTableLine].bytes = TableBytes(plan.limits);
    const int64_t total = fixed - table_bytes + plan.lines[kTableLine].bytes + bytes;
    if (total <= budget) break;
    pages -= (total - budget) / page_bytes;
  }
  const int64_t kept = int64_t{plan.pages.self_pages} + plan.pages.cross_pages;
  plan.lines.push_back(
      {absl::StrCat("K/V in ", plan.pages.self_pages, " + ", plan.pages.cross_pages, " pages"),
       kept * page_bytes});
  for (const MemoryLine& line : plan.lines) plan.total += line.bytes;
  return plan;
}

std::string MemoryText(const MemoryPlan& plan) {
  std::string text;
  for (const MemoryLine& line : plan.lines) {
    if (line.bytes == 0) continue;
    absl::StrAppend(&text, text.empty() ? "" : ", ", line.what, ": ", Size(line.bytes));
  }
  return absl::StrCat(text, "; in all ", Size(plan.total));
}

int64_t QuantizedScalesAt(const Program& program, const ProductOp& product) {
  return Aligned(product.rows * program.weight(product.weight).cols);
}

int64_t QuantizedWeightBytes(const Program& program, const ProductOp& product) {
  return QuantizedScalesAt(program, product) +
         Aligned(product.rows * static_cast<int64_t>(sizeof(float)));
}

int64_t QuantizedWeightBytes(const Program& program) {
  int64_t bytes = 0;
  for (const OpSequence* stage : {&program.encoder, &program.decoder}) {
    for (const Op& op : stage->ops) {
      const auto* product = std::get_if<ProductOp>(&op.what);
      if (product != nullptr) bytes += QuantizedWeightBytes(program, *product);
    }
  }
  return bytes;
}

int64_t ProductWorkspaceBytes(const Program& program, const OpSequence& stage, int64_t rows,
                              bool quantized) {
  int64_t bytes = kernels::cuda::Blas::kWorkspaceBytes;
  if (!quantized) return bytes;
  for (const Op& op : stage.ops) {
    const auto* product = std::get_if<ProductOp>(&op.what);
    if (product == nullptr) continue;
    bytes = std::max(
        bytes, kernels::cuda::QuantizedWorkspaceBytes(rows, program.weight(product->weight).cols));
  }
  return bytes;
}

}  // namespace dragoman::engine
