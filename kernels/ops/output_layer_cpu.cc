// Work: 2 rows d vocabulary flop, and per logit one maximum and (when the normaliser is wanted) one
// exp. The vocabulary is gone over in blocks of kBlockColumns; the logits of a block for up to
// kBlockRowsMax rows lie in scratch (240 KiB, within L2) and are folded row by row. A block whose
// maximum cannot enter a row's list costs that row nothing more.
//
// Order: (max, sum of exp) is made per (row, block) and merged in the order of blocks; the best
// tokens do not depend on order. So any split over threads gives the same bits.
#include "kernels/ops/output_layer.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/product.h"

namespace dragoman {
namespace {

constexpr int64_t kProductBlocks = 5;
constexpr int64_t kBlockColumns = kProductBlocks * cpu::Product::kBlockColumns;
constexpr int64_t kBlockRowsMax = 128;
// Columns that are searched for candidates before the list's threshold is looked at again.
constexpr int64_t kSearchColumns = 96;

// What a thread keeps of a row between its blocks.
struct Partial {
  TopList top;
  bool nan;
};

// Calls `use(id)` for the ids of the list within first .. end - 1.
template <class Use>
void ForIdsWithin(const IdList& list, int64_t first, int64_t end, Use use) {
  for (int32_t i = FirstAtLeast(list, first); i < list.count && list.ids[i] < end; ++i) {
    use(i, list.ids[i] - first);
  }
}

// Folds the logits of one row in one block: columns `first` .. `first + count - 1`. Returns the
// block's (max, sum of exp).
LogSum FoldBlock(const LogitRequest& request, float* logits, int64_t first, int64_t count,
                 Partial& partial, float* wanted) {
  const cpu::KernelTable& kernels = cpu::Kernels();
  const int64_t end = first + count;
  if (request.logits != nullptr) std::copy_n(logits, count, request.logits + first);
  if (request.scale != 1.0F) {
    for (int64_t c = 0; c < count; ++c) logits[c] *= request.scale;
  }
  const auto strike = [&](const IdList& list) {
    ForIdsWithin(list, first, end, [&](int32_t, int64_t column) { logits[column] = -INFINITY; });
  };
  strike(request.excluded);
  if (request.mask_first) {
    for (const IdList& list : request.masked) strike(list);
  }
  ForIdsWithin(request.wanted, first, end,
               [&](int32_t i, int64_t column) { wanted[i] = logits[column]; });
  LogSum sum;
  sum.max = kernels.row_max(logits, count, &partial.nan);
  if (sum.max == INFINITY) partial.nan = true;
  if (request.need_normaliser && std::isfinite(sum.max)) {
    sum.sum = kernels.exp_sum(logits, count, sum.max);
  }
  if (!(sum.max > Threshold(partial.top))) return sum;
  // From here on a logit is only a candidate: what may not be among the best is struck out.
  if (!request.mask_first) {
    for (const IdList& list : request.masked) strike(list);
  }
  strike(request.wanted);
  for (int64_t c = 0; c < count; c += kSearchColumns) {
    int32_t found[kSearchColumns];
    const int n = kernels.find_above(logits + c, std::min(kSearchColumns, count - c),
                                     Threshold(partial.top), found);
    for (int i = 0; i < n; ++i) {
      const int64_t column = c + found[i];
      Insert(partial.top, {logits[column], static_cast<int32_t>(first + column)});
    }
  }
  return sum;
}

class CpuOutputLayer final : public OutputLayer {
 public:
  explicit CpuOutputLayer(std::unique_ptr<const cpu::Product> product)
      : OutputLayer(static_cast<int>(product->k()), static_cast<int>(product->n())),
        product_(std::move(product)) {}

  void Warm(OpContext& context, int64_t max_rows) const override {
    context.Reserve(ScratchFloats(std::min(max_rows, kBlockRowsMax)));
  }

  void Fold(OpContext& context, const float* hidden, int64_t rows, const LogitRequest* requests,
            LogitSummary* summaries) const override {
    for (int64_t row = 0; row < rows; row += kBlockRowsMax) {
      FoldRows(context, hidden + row * d(), std::min(kBlockRowsMax, rows - row), requests + row,
               summaries + row);
    }
  }

  int64_t bytes() const override { return product_->bytes(); }

 private:
  struct Scratch {
    float* operand;       // hidden as the product wants it; that of thread 0 serves all threads
    float* logits;        // of a block: [rows, columns]
    Partial* partials;    // [rows]
    TokenScore* entries;  // [rows, kMaxTopK]
    LogSum* sums;         // [blocks, rows]; those of thread 0 serve all threads
  };

  int64_t blocks() const { return (product_->blocks() + kProductBlocks - 1) / kProductBlocks; }

  size_t ScratchFloats(int64_t rows) const {
    const auto n = static_cast<size_t>(rows);
    const size_t bytes =
        n * (kBlockColumns * sizeof(float) + sizeof(Partial) + kMaxTopK * sizeof(TokenScore) +
             static_cast<size_t>(blocks()) * sizeof(LogSum));
    return product_->OperandFloats(rows) + (bytes + sizeof(float) - 1) / sizeof(float);
  }

  // Trivial types, in the order of falling alignment.
  static_assert(alignof(Partial) <= 64 && alignof(TokenScore) <= alignof(Partial) &&
                alignof(LogSum) <= alignof(TokenScore));
  Scratch Divide(float* memory, int64_t rows) const {
    Scratch s;
    s.operand = memory;
    s.logits = memory + product_->OperandFloats(rows);
    s.partials = reinterpret_cast<Partial*>(s.logits + rows * kBlockColumns);
    s.entries = reinterpret_cast<TokenScore*>(s.partials + rows);
    s.sums = reinterpret_cast<LogSum*>(s.entries + rows * kMaxTopK);
    return s;
  }

  void FoldRows(OpContext& context, const float* hidden, int64_t rows, const LogitRequest* requests,
                LogitSummary* summaries) const {
    const size_t floats = ScratchFloats(rows);
    for (int thread = 0; thread < context.threads(); ++thread) {
      const Scratch s = Divide(context.Scratch(thread, floats), rows);
      for (int64_t r = 0; r < rows; ++r) {
        s.partials[r] = {{s.entries + r * kMaxTopK, std::min(requests[r].k, kMaxTopK), 0}, false};
      }
    }
    const Scratch shared = Divide(context.Scratch(0, floats), rows);
    LogSum* const sums = shared.sums;
    const cpu::Operand operand = product_->Prepare(hidden, rows, shared.operand, context.probe());
    cpu::ParallelFor(context, blocks(), rows * d() * kBlockColumns,
                     [&](int64_t begin, int64_t end, int thread) {
                       const Scratch s = Divide(context.Scratch(thread, floats), rows);
                       for (int64_t b = begin; b < end; ++b) {
                         FoldOneBlock(operand, rows, b, requests, summaries, s, sums + b * rows,
                                      context.probe(thread));
                       }
                     });
    const Probed merge(context.probe(), op_part::kFold);
    for (int64_t r = 0; r < rows; ++r) {
      LogitSummary& summary = summaries[r];
      summary.normaliser = LogSum{};
      if (requests[r].need_normaliser) {
        for (int64_t b = 0; b < blocks(); ++b) Merge(summary.normaliser, sums[b * rows + r]);
      }
      TopList top{summary.top, std::min(requests[r].k, kMaxTopK), 0};
      summary.nan = false;
      for (int thread = 0; thread < context.threads(); ++thread) {
        const Scratch s = Divide(context.Scratch(thread, floats), rows);
        Merge(top, s.partials[r].top);
        summary.nan |= s.partials[r].nan;
      }
      summary.count = top.count;
    }
  }

  void FoldOneBlock(const cpu::Operand& hidden, int64_t rows, int64_t block,
                    const LogitRequest* requests, LogitSummary* summaries, const Scratch& s,
                    LogSum* sums, OpProbe* probe) const {
    const int64_t first = block * kBlockColumns;
    const int64_t columns = std::min(kBlockColumns, product_->padded_n() - first);
    const int64_t begin = block * kProductBlocks;
    product_->Run({.x = hidden,
                   .rows = rows,
                   .y = s.logits,
                   .ldy = columns,
                   .relu = false,
                   .padded = true,
                   .block_begin = begin,
                   .block_end = std::min(begin + kProductBlocks, product_->blocks())});
    const int64_t count = std::min<int64_t>(columns, vocabulary() - first);
    const Probed fold(probe, op_part::kFold);
    for (int64_t r = 0; r < rows; ++r) {
      sums[r] = FoldBlock(requests[r], s.logits + r * columns, first, count, s.partials[r],
                          summaries[r].wanted);
    }
  }

  const std::unique_ptr<const cpu::Product> product_;
};

}  // namespace

std::unique_ptr<OutputLayer> OutputLayer::Create(const float* weight, const float* bias, int d,
                                                 int vocabulary, ComputeType type, int threads) {
  OpContext context(threads);
  auto product = cpu::Product::Create(context, type, weight, bias, vocabulary, d, -INFINITY);
  if (product == nullptr) return nullptr;
  return std::make_unique<CpuOutputLayer>(std::move(product));
}

}  // namespace dragoman
