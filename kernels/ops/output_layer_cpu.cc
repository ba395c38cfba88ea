// The output layer on the CPU. It takes 2 * rows * d * vocabulary floating-point operations, and
// one exp and one comparison per logit. The vocabulary is processed in blocks of kBlockColumns.
//
// There are two kinds of products (cpu/product.h):
//
// A product that folds adds up exp(logit) while it computes logits, and notes the logits that can
// enter a row's list of best tokens. It does not store logits, which would cost a product with
// tiles up to half its rate. For some rows that is not enough in a block: if a list of the request
// has an id there, if the row has a scale, if its list is not full yet, or if exp needs a maximum.
// The block's logits of such a row are computed again, for this row alone. If there are many such
// rows, the product stores the logits of all rows while it folds.
//
// Other products store the logits (up to kBlockRowsMax rows: 240 KiB, within L2), which are then
// folded row by row. If a block's maximum cannot enter a row's list, the row's candidates are not
// searched.
//
// With selections, the rows of one selection are a task of their own, because only they share its
// columns. A block is then a block of the selection's columns.
//
// Order: (max, sum of exp) is computed per (row, block) and merged in the order of blocks. The
// method that computes a row depends on that row alone. The best tokens do not depend on the order.
// So neither other rows nor the division over threads changes a bit.
#include "kernels/ops/output_layer.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/product.h"
#include "kernels/cpu/quantized_table.h"
#include "kernels/ops/output_blocks.h"

namespace dragoman::kernels {

using namespace output_blocks;  // NOLINT(google-build-using-namespace)

namespace {

// kFoundCapacity: the largest number of logits that a product can note for one row in one block.
// kRowsForOneAlone: if at most one row in kRowsForOneAlone needs its logits, such rows are computed
// again, alone.
constexpr int32_t kFoundCapacity = 16;
constexpr int64_t kRowsForOneAlone = 16;
// Within these limits a sum of exp(logit) is accurate. A fold adds 2^-125 for a logit of -infinity;
// for a million logits that is less than half an ulp of the sum.
constexpr float kLeastSum = 1e-24F;
constexpr float kMostSum = 1e37F;

class CpuOutputLayer final : public OutputLayer {
 public:
  explicit CpuOutputLayer(std::unique_ptr<const cpu::Product> product)
      : OutputLayer(static_cast<int>(product->k()), static_cast<int>(product->n())),
        product_(std::move(product)),
        table_(product_.get()) {}

  size_t ScratchFloats(int64_t max_rows) const override {
    return FloatsFor(std::min(max_rows, output_blocks::kBlockRowsMax));
  }

  void Fold(OpContext& context, const float* hidden, int64_t rows, const LogitRequest* requests,
            LogitSummary* summaries) const override {
    for (int64_t row = 0; row < rows; row += output_blocks::kBlockRowsMax) {
      FoldRows(context, hidden + row * d(), std::min(output_blocks::kBlockRowsMax, rows - row),
               requests + row, summaries + row);
    }
  }

  size_t SelectedFloats(int64_t words) const override { return product_->SelectedFloats(words); }
  void Select(const IdList& words, float* memory) const override {
    product_->Select(words.ids, words.count, memory);
  }
  void FoldSelected(OpContext& context, const float* hidden, int64_t rows,
                    const Selection* const* selections, const LogitRequest* requests,
                    LogitSummary* summaries) const override {
    for (int64_t row = 0; row < rows; row += output_blocks::kBlockRowsMax) {
      FoldSelections(context, hidden + row * d(),
                     std::min(output_blocks::kBlockRowsMax, rows - row), selections + row,
                     requests + row, summaries + row);
    }
  }

  int64_t bytes() const override { return product_->bytes(); }
  const EmbeddingTable& table() const override { return table_; }
  const cpu::Product& product() const override { return *product_; }

 private:
  class Table final : public EmbeddingTable {
   public:
    explicit Table(const cpu::Product* product)
        : EmbeddingTable(static_cast<int>(product->k())), product_(*product) {}
    const float* Row(int32_t token, float* memory) const override {
      product_.UnpackRow(token, memory);
      return memory;
    }

   private:
    const cpu::Product& product_;
  };

  struct Scratch {
    float* operand;   // hidden as the product reads it; that of thread 0 serves all threads
    float* logits;    // logits of a block: [rows, columns]
    float* lanes;     // [rows, kFoldLanes]
    uint64_t* marks;  // [rows, words]; those of thread 0 serve all threads
    output_blocks::Partial* partials;  // [rows]
    TokenScore* entries;               // [rows, kMaxTopK]
    LogSum* sums;                      // [blocks, rows]; those of thread 0 serve all threads
    cpu::FoundResult* found;           // [rows, kFoundCapacity]
    float* thresholds;                 // [rows]
    float* borders;                    // [rows]
    float* lane_sums;                  // [rows]
    int32_t* counts;                   // [rows]
  };

  static int64_t BlocksOf(int64_t columns) {
    return (columns + output_blocks::kBlockColumns - 1) / output_blocks::kBlockColumns;
  }
  int64_t blocks() const { return BlocksOf(vocabulary()); }

  size_t FloatsFor(int64_t rows) const {
    const auto n = static_cast<size_t>(rows);
    const size_t bytes =
        n * ((output_blocks::kBlockColumns + cpu::kFoldLanes) * sizeof(float) +
             static_cast<size_t>(output_blocks::MarkedBlocks::Words(blocks())) * sizeof(uint64_t) +
             sizeof(output_blocks::Partial) + kMaxTopK * sizeof(TokenScore) +
             static_cast<size_t>(blocks()) * sizeof(LogSum) +
             kFoundCapacity * sizeof(cpu::FoundResult) + 3 * sizeof(float) + sizeof(int32_t));
    return product_->OperandFloats(rows) + (bytes + sizeof(float) - 1) / sizeof(float);
  }

  // The arrays have trivial types, in the order of descending alignment.
  static_assert(alignof(uint64_t) <= 64 && alignof(output_blocks::Partial) <= alignof(uint64_t) &&
                alignof(TokenScore) <= alignof(output_blocks::Partial) &&
                alignof(LogSum) <= alignof(TokenScore) &&
                alignof(cpu::FoundResult) <= alignof(LogSum) &&
                alignof(float) <= alignof(cpu::FoundResult));
  Scratch Divide(float* memory, int64_t rows) const {
    Scratch s;
    s.operand = memory;
    s.logits = memory + product_->OperandFloats(rows);
    s.lanes = s.logits + rows * output_blocks::kBlockColumns;
    s.marks = reinterpret_cast<uint64_t*>(s.lanes + rows * cpu::kFoldLanes);
    s.partials = reinterpret_cast<output_blocks::Partial*>(
        s.marks + rows * output_blocks::MarkedBlocks::Words(blocks()));
    s.entries = reinterpret_cast<TokenScore*>(s.partials + rows);
    s.sums = reinterpret_cast<LogSum*>(s.entries + rows * kMaxTopK);
    s.found = reinterpret_cast<cpu::FoundResult*>(s.sums + rows * blocks());
    s.thresholds = reinterpret_cast<float*>(s.found + rows * kFoundCapacity);
    s.borders = s.thresholds + rows;
    s.lane_sums = s.borders + rows;
    s.counts = reinterpret_cast<int32_t*>(s.lane_sums + rows);
    return s;
  }

  // The columns that rows are folded over: all of the vocabulary, or those of a selection.
  struct Columns {
    int64_t n;
    int64_t padded_n;
    output_blocks::ColumnWords words;
    const cpu::SelectedColumns* selected;  // nullptr: all

    int64_t product_blocks() const { return cpu::Product::BlocksOf(n); }
    int64_t blocks() const { return BlocksOf(n); }
  };

  // Rows that are folded over the same columns.
  struct Rows {
    const cpu::Operand& hidden;
    int64_t count;
    const LogitRequest* requests;
    LogitSummary* summaries;
    const Columns& columns;
  };

  void FoldRows(OpContext& context, const float* hidden, int64_t count,
                const LogitRequest* requests, LogitSummary* summaries) const {
    const size_t floats = FloatsFor(count);
    for (int thread = 0; thread < context.threads(); ++thread) {
      const Scratch s = Divide(context.Scratch(thread, floats), count);
      output_blocks::EmptyLists(requests, count, s.entries, s.partials);
    }
    const Scratch shared = Divide(context.Scratch(0, floats), count);
    const cpu::Operand operand = product_->Prepare(hidden, count, shared.operand, context.probe());
    const Columns columns{vocabulary(), product_->padded_n(), output_blocks::ColumnWords(),
                          nullptr};
    const Rows rows{operand, count, requests, summaries, columns};
    const output_blocks::MarkedBlocks marked = Marked(rows, shared);
    cpu::ParallelFor(context, blocks(), count * d() * output_blocks::kBlockColumns,
                     [&](int64_t begin, int64_t end, int thread) {
                       const Scratch s = Divide(context.Scratch(thread, floats), count);
                       FoldBlocks(rows, marked, begin, end, s, shared.sums, context.probe(thread));
                     });
    const Probed merge(context.probe(), op_part::kFold);
    for (int64_t r = 0; r < count; ++r) {
      TopList top = StartSummary(rows, r, shared.sums);
      LogitSummary& summary = summaries[r];
      for (int thread = 0; thread < context.threads(); ++thread) {
        const Scratch s = Divide(context.Scratch(thread, floats), count);
        Merge(top, s.partials[r].top);
        summary.nan |= s.partials[r].nan;
      }
      summary.count = top.count;
    }
  }

  void FoldSelections(OpContext& context, const float* hidden, int64_t count,
                      const Selection* const* selections, const LogitRequest* requests,
                      LogitSummary* summaries) const {
    const size_t floats = FloatsFor(count);
    for (int thread = 0; thread < context.threads(); ++thread) context.Scratch(thread, floats);
    const Scratch shared = Divide(context.Scratch(0, floats), count);
    const cpu::Operand operand = product_->Prepare(hidden, count, shared.operand, context.probe());
    // `begins` has the first row of each run of adjacent rows that have the same selection.
    int64_t begins[output_blocks::kBlockRowsMax];
    int64_t runs = 0;
    int64_t words = 0;
    for (int64_t r = 0; r < count; ++r) {
      if (r == 0 || selections[r] != selections[r - 1]) begins[runs++] = r;
      words += selections[r]->words.count;
    }
    cpu::ParallelFor(context, runs, words * d() / std::max<int64_t>(runs, 1),
                     [&](int64_t first, int64_t end, int thread) {
                       const Scratch s = Divide(context.Scratch(thread, floats), count);
                       for (int64_t i = first; i < end; ++i) {
                         const int64_t row = begins[i];
                         FoldSelection(product_->FromRow(operand, row),
                                       (i + 1 < runs ? begins[i + 1] : count) - row,
                                       *selections[row], requests + row, summaries + row, s,
                                       context.probe(thread));
                       }
                     });
  }

  void FoldSelection(const cpu::Operand& hidden, int64_t count, const Selection& selection,
                     const LogitRequest* requests, LogitSummary* summaries, const Scratch& s,
                     OpProbe* probe) const {
    constexpr int64_t kStep = cpu::Product::kSelectStep;
    const int64_t n = selection.words.count;
    const cpu::SelectedColumns selected{selection.memory, n};
    const Columns columns{n, (n + kStep - 1) / kStep * kStep,
                          output_blocks::ColumnWords(selection.words), &selected};
    const Rows rows{hidden, count, requests, summaries, columns};
    output_blocks::EmptyLists(requests, count, s.entries, s.partials);
    for (int64_t r = 0; r < count; ++r) {
      std::fill_n(summaries[r].wanted, requests[r].wanted.count, -INFINITY);
      if (requests[r].logits != nullptr) std::fill_n(requests[r].logits, vocabulary(), -INFINITY);
    }
    FoldBlocks(rows, Marked(rows, s), 0, columns.blocks(), s, s.sums, probe);
    for (int64_t r = 0; r < count; ++r) {
      TopList top = StartSummary(rows, r, s.sums);
      Merge(top, s.partials[r].top);
      summaries[r].nan = s.partials[r].nan;
      summaries[r].count = top.count;
    }
  }

  // Marks each block of output columns that contains a token id from a list of a row's request. The
  // marks are stored in s.marks.
  output_blocks::MarkedBlocks Marked(const Rows& rows, const Scratch& s) const {
    output_blocks::MarkedBlocks marked(s.marks, blocks());
    for (int64_t r = 0; r < rows.count; ++r) {
      marked.Mark(r, rows.requests[r], rows.columns.words, rows.columns.n);
    }
    return marked;
  }

  // Computes a row's normaliser from the sums of its blocks. Returns an empty list for its best
  // tokens.
  static TopList StartSummary(const Rows& rows, int64_t r, const LogSum* sums) {
    LogitSummary& summary = rows.summaries[r];
    summary.normaliser = LogSum{};
    summary.nan = false;
    if (rows.requests[r].need_normaliser) {
      for (int64_t b = 0; b < rows.columns.blocks(); ++b) {
        Merge(summary.normaliser, sums[b * rows.count + r]);
      }
    }
    return {summary.top, std::min(rows.requests[r].k, kMaxTopK), 0};
  }

  struct Block {
    const Rows& rows;
    int64_t index;
    const output_blocks::MarkedBlocks& marked;
    const Scratch& scratch;
    LogSum* sums;
    OpProbe* probe;

    int64_t first() const { return index * output_blocks::kBlockColumns; }
    // Includes the padding, whose logits are -inf.
    int64_t padded_columns() const {
      return std::min(output_blocks::kBlockColumns, rows.columns.padded_n - first());
    }
    int64_t columns() const {
      return std::min(output_blocks::kBlockColumns, rows.columns.n - first());
    }
  };

  void FoldBlocks(const Rows& rows, const output_blocks::MarkedBlocks& marked, int64_t begin,
                  int64_t end, const Scratch& s, LogSum* sums, OpProbe* probe) const {
    for (int64_t b = begin; b < end; ++b) {
      const Block block{rows, b, marked, s, sums + b * rows.count, probe};
      product_->Folds() ? FoldAsComputed(block) : FoldMaterialized(block);
    }
  }

  // Computes the block's logits for `rows` rows of x. Writes b.padded_columns() logits for each row
  // to y.
  void Compute(const Block& b, const cpu::Operand& x, int64_t rows, float* y,
               const cpu::ResultFold* fold) const {
    const Columns& columns = b.rows.columns;
    const int64_t begin = b.index * output_blocks::kProductBlocks;
    product_->Run(
        {.x = x,
         .rows = rows,
         .y = y,
         .ldy = b.padded_columns(),
         .relu = false,
         .padded = true,
         .block_begin = begin,
         .block_end = std::min(begin + output_blocks::kProductBlocks, columns.product_blocks()),
         .fold = fold,
         .selected = columns.selected});
  }

  void FoldMaterialized(const Block& b) const {
    const Rows& rows = b.rows;
    Compute(b, rows.hidden, rows.count, b.scratch.logits, nullptr);
    const Probed fold(b.probe, op_part::kFold);
    for (int64_t r = 0; r < rows.count; ++r) {
      b.sums[r] = FoldRow(b, r, b.scratch.logits + r * b.padded_columns(), nullptr);
    }
  }

  LogSum FoldRow(const Block& b, int64_t r, float* logits, const LogSum* known) const {
    return output_blocks::FoldBlock(b.rows.requests[r], b.rows.columns.words, logits, b.first(),
                                    b.columns(), b.scratch.partials[r], b.rows.summaries[r].wanted,
                                    known);
  }

  void FoldAsComputed(const Block& b) const {
    const Scratch& s = b.scratch;
    const Rows& rows = b.rows;
    // Reports whether the product may add up exp(logit) of row r. FoldBlock handles other rows.
    const auto is_plain = [&](int64_t r) {
      return rows.requests[r].scale == 1.0F && !b.marked.Has(r, b.index);
    };
    const auto wants_logits = [&](int64_t r) {
      return !is_plain(r) || rows.requests[r].logits != nullptr || s.thresholds[r] == -INFINITY;
    };
    int64_t wanting = 0;
    bool adds_exp = false;
    for (int64_t r = 0; r < rows.count; ++r) {
      adds_exp |= rows.requests[r].need_normaliser;
      s.thresholds[r] = Threshold(s.partials[r].top);
      s.borders[r] = cpu::ExponentBelow(s.thresholds[r], product_->largest_bias());
      wanting += wants_logits(r) ? 1 : 0;
    }
    const bool store = wanting * kRowsForOneAlone > rows.count;
    std::fill_n(s.lanes, rows.count * cpu::kFoldLanes, 0.0F);
    std::fill_n(s.counts, rows.count, 0);
    const cpu::ResultFold fold{.sums = s.lanes,
                               .adds_exp = adds_exp,
                               .thresholds = s.thresholds,
                               .borders = s.borders,
                               .found = s.found,
                               .counts = s.counts,
                               .capacity = kFoundCapacity};
    Compute(b, rows.hidden, rows.count, store ? s.logits : nullptr, &fold);
    const Probed part(b.probe, op_part::kFold);
    cpu::QuantizedKernels().add_lanes(s.lanes, rows.count, s.lane_sums);
    for (int64_t r = 0; r < rows.count; ++r) {
      const LogSum sum{0.0F, s.lane_sums[r]};
      const bool known =
          is_plain(r) && (adds_exp ? sum.sum > kLeastSum && sum.sum < kMostSum : sum.sum == 0.0F);
      if (known && !wants_logits(r) && s.counts[r] <= kFoundCapacity) {
        const cpu::FoundResult* found = s.found + r * kFoundCapacity;
        for (int32_t i = 0; i < s.counts[r]; ++i) {
          Insert(s.partials[r].top, {found[i].value, rows.columns.words.WordOf(found[i].column)});
        }
        b.sums[r] = sum;
        continue;
      }
      float* logits = s.logits + r * b.padded_columns();
      if (!store) Compute(b, product_->FromRow(rows.hidden, r), 1, logits, nullptr);
      b.sums[r] = FoldRow(b, r, logits, known ? &sum : nullptr);
    }
  }

  const std::unique_ptr<const cpu::Product> product_;
  const Table table_;
};

}  // namespace

int64_t OutputLayer::BytesOf(ComputeType type, int d, int vocabulary) {
  return cpu::Product::BytesOf(type, vocabulary, d);
}

std::unique_ptr<OutputLayer> OutputLayer::Create(const MatrixRows& weight, const float* bias, int d,
                                                 int vocabulary, ComputeType type,
                                                 OpContext* context) {
  OpContext alone;
  auto product = cpu::Product::Create(context != nullptr ? *context : alone, type, weight, bias,
                                      vocabulary, d, -INFINITY);
  if (product == nullptr) return nullptr;
  return std::make_unique<CpuOutputLayer>(std::move(product));
}

}  // namespace dragoman::kernels
