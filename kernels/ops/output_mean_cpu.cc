// The output layers of an ensemble on the CPU. kLogProbability takes the work of every member's
// output layer, and one multiply-add per logit and member. The weighted sum of logits orders the
// tokens without the normalisers, so the normalisers are computed from the same tile.
//
// kProbability needs the members' normalisers before it can rank the tokens. So the products run
// twice: first in each member's own Fold, which stores no logits. In the second pass the largest of
// the members' log-probabilities of a token is an upper bound of the mean's. The mean is computed
// only for columns whose bound can enter a row's list. It is computed relative to its largest term,
// so that it does not underflow.
//
// The order of sums is fixed: members are added in their order, and the (max, sum of exp) of a
// row's blocks are merged in the order of blocks.
#include "kernels/ops/output_mean.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/product.h"
#include "kernels/ops/output_blocks.h"

namespace dragoman::kernels {

using namespace output_blocks;  // NOLINT(google-build-using-namespace)

struct OutputMean::Scratch {
  float* operands[kMaxEnsembleMembers];  // those of thread 0 serve all threads
  float* logits;                         // logits of a block: [members, rows, columns]
  float* mean;                           // means of a row in a block: [columns]
  uint64_t* marks;                       // [rows, words]; those of thread 0 serve all threads
  output_blocks::Partial* partials;      // [rows]
  TokenScore* entries;                   // [rows, kMaxTopK]
  LogSum* sums;  // [members, blocks, rows]; those of thread 0 serve all threads
};

// The folds of all blocks share this data: the rows and their requests, summaries and sums.
struct OutputMean::Pass {
  const cpu::Operand* hidden;  // [members]
  int64_t rows;
  const LogitRequest* requests;
  LogitSummary* summaries;
  const output_blocks::MarkedBlocks* marked;
  LogSum* sums;
};

OutputMean::OutputMean(std::vector<OutputMember> members, MeanKind kind)
    : members_(std::move(members)),
      kind_(kind),
      plain_(output_blocks::kBlockRowsMax),
      of_member_(output_blocks::kBlockRowsMax),
      log_sums_(output_blocks::kBlockRowsMax * members_.size()),
      bad_(output_blocks::kBlockRowsMax) {}

int64_t OutputMean::bytes() const {
  return static_cast<int64_t>(plain_.size() * sizeof(LogitRequest) +
                              of_member_.size() * sizeof(LogitSummary) +
                              log_sums_.size() * sizeof(float) + bad_.size());
}

int64_t OutputMean::blocks() const {
  return (members_.front().layer->product().blocks() + output_blocks::kProductBlocks - 1) /
         output_blocks::kProductBlocks;
}

size_t OutputMean::ScratchFloats(int64_t max_rows) const {
  size_t floats = FloatsFor(std::min(max_rows, output_blocks::kBlockRowsMax));
  for (const OutputMember& m : members_) {
    floats = std::max(floats, m.layer->ScratchFloats(max_rows));
  }
  return floats;
}

size_t OutputMean::FloatsFor(int64_t rows) const {
  const auto n = static_cast<size_t>(rows);
  size_t floats = output_blocks::kBlockColumns;
  for (const OutputMember& m : members_) floats += m.layer->product().OperandFloats(rows);
  const size_t bytes =
      n * (members() * output_blocks::kBlockColumns * sizeof(float) +
           static_cast<size_t>(output_blocks::MarkedBlocks::Words(blocks())) * sizeof(uint64_t) +
           sizeof(output_blocks::Partial) + kMaxTopK * sizeof(TokenScore) +
           members() * static_cast<size_t>(blocks()) * sizeof(LogSum));
  return floats + (bytes + sizeof(float) - 1) / sizeof(float);
}

// The arrays have trivial types, in the order of descending alignment.
OutputMean::Scratch OutputMean::Divide(float* memory, int64_t rows) const {
  static_assert(output_blocks::kBlockColumns * sizeof(float) % 64 == 0);
  static_assert(alignof(uint64_t) <= 64 && alignof(output_blocks::Partial) <= alignof(uint64_t) &&
                alignof(TokenScore) <= alignof(output_blocks::Partial) &&
                alignof(LogSum) <= alignof(TokenScore));
  Scratch s{};
  for (size_t m = 0; m < members(); ++m) {
    s.operands[m] = memory;
    memory += members_[m].layer->product().OperandFloats(rows);
  }
  s.logits = memory;
  s.mean = s.logits + static_cast<int64_t>(members()) * rows * output_blocks::kBlockColumns;
  s.marks = reinterpret_cast<uint64_t*>(s.mean + output_blocks::kBlockColumns);
  s.partials = reinterpret_cast<output_blocks::Partial*>(
      s.marks + rows * output_blocks::MarkedBlocks::Words(blocks()));
  s.entries = reinterpret_cast<TokenScore*>(s.partials + rows);
  s.sums = reinterpret_cast<LogSum*>(s.entries + rows * kMaxTopK);
  return s;
}

void OutputMean::Fold(OpContext& context, const float* const* hidden, int64_t rows,
                      const LogitRequest* requests, LogitSummary* summaries) {
  for (int64_t row = 0; row < rows; row += output_blocks::kBlockRowsMax) {
    const float* from_row[kMaxEnsembleMembers];
    for (size_t m = 0; m < members(); ++m) from_row[m] = hidden[m] + row * members_[m].layer->d();
    const int64_t count = std::min(output_blocks::kBlockRowsMax, rows - row);
    if (kind_ == MeanKind::kProbability) FoldMembers(context, from_row, count, requests + row);
    FoldRows(context, from_row, count, requests + row, summaries + row);
  }
}

void OutputMean::FoldMembers(OpContext& context, const float* const* hidden, int64_t rows,
                             const LogitRequest* requests) {
  for (int64_t r = 0; r < rows; ++r) {
    LogitRequest& plain = plain_[static_cast<size_t>(r)];
    plain = LogitRequest{};
    plain.need_normaliser = true;
    plain.scale = requests[r].scale;
    plain.excluded = requests[r].excluded;
  }
  std::fill(bad_.begin(), bad_.end(), uint8_t{0});
  for (size_t m = 0; m < members(); ++m) {
    members_[m].layer->Fold(context, hidden[m], rows, plain_.data(), of_member_.data());
    for (int64_t r = 0; r < rows; ++r) {
      const LogitSummary& summary = of_member_[static_cast<size_t>(r)];
      log_sums_[static_cast<size_t>(r) * members() + m] = LogSumValue(summary.normaliser);
      bad_[static_cast<size_t>(r)] |= summary.nan ? 1 : 0;
    }
  }
}

void OutputMean::FoldRows(OpContext& context, const float* const* hidden, int64_t rows,
                          const LogitRequest* requests, LogitSummary* summaries) {
  const size_t floats = FloatsFor(rows);
  for (int thread = 0; thread < context.threads(); ++thread) {
    const Scratch s = Divide(context.Scratch(thread, floats), rows);
    output_blocks::EmptyLists(requests, rows, s.entries, s.partials);
  }
  const Scratch shared = Divide(context.Scratch(0, floats), rows);
  output_blocks::MarkedBlocks marked(shared.marks, blocks());
  const int64_t vocabulary = members_.front().layer->vocabulary();
  for (int64_t r = 0; r < rows; ++r)
    marked.Mark(r, requests[r], output_blocks::ColumnWords(), vocabulary);
  cpu::Operand operands[kMaxEnsembleMembers];
  int64_t work = 0;
  for (size_t m = 0; m < members(); ++m) {
    operands[m] =
        members_[m].layer->product().Prepare(hidden[m], rows, shared.operands[m], context.probe());
    work += rows * members_[m].layer->d() * output_blocks::kBlockColumns;
  }
  const Pass pass{operands, rows, requests, summaries, &marked, shared.sums};
  cpu::ParallelFor(context, blocks(), work, [&](int64_t begin, int64_t end, int thread) {
    const Scratch s = Divide(context.Scratch(thread, floats), rows);
    for (int64_t b = begin; b < end; ++b) FoldBlockOfRows(pass, b, s);
  });

  const Probed merge(context.probe(), op_part::kFold);
  for (int64_t r = 0; r < rows; ++r) {
    LogitSummary& summary = summaries[r];
    const LogitRequest& request = requests[r];
    const auto sum_of = [&](size_t m) {
      LogSum sum;
      for (int64_t b = 0; b < blocks(); ++b) {
        Merge(sum, shared.sums[(static_cast<int64_t>(m) * blocks() + b) * rows + r]);
      }
      return sum;
    };
    summary.normaliser = LogSum{};
    if (request.need_normaliser) {
      if (request.mask_first) {
        summary.normaliser = sum_of(0);
      } else if (kind_ == MeanKind::kProbability) {
        summary.normaliser = {0.0F, 1.0F};
      } else {
        float mean = 0;
        for (size_t m = 0; m < members(); ++m) mean += members_[m].weight * LogSumValue(sum_of(m));
        if (mean > -INFINITY) summary.normaliser = {mean, 1.0F};
      }
    }
    TopList top{summary.top, std::min(request.k, kMaxTopK), 0};
    summary.nan = kind_ == MeanKind::kProbability && bad_[static_cast<size_t>(r)] != 0;
    for (int thread = 0; thread < context.threads(); ++thread) {
      const Scratch s = Divide(context.Scratch(thread, floats), rows);
      Merge(top, s.partials[r].top);
      summary.nan |= s.partials[r].nan;
    }
    summary.count = top.count;
  }
}

void OutputMean::FoldBlockOfRows(const Pass& pass, int64_t block, const Scratch& scratch) const {
  const int64_t first = block * output_blocks::kBlockColumns;
  float* tiles[kMaxEnsembleMembers];
  int64_t strides[kMaxEnsembleMembers];
  for (size_t m = 0; m < members(); ++m) {
    const cpu::Product& product = members_[m].layer->product();
    tiles[m] = scratch.logits + static_cast<int64_t>(m) * pass.rows * output_blocks::kBlockColumns;
    strides[m] = std::min(output_blocks::kBlockColumns, product.padded_n() - first);
    const int64_t begin = block * output_blocks::kProductBlocks;
    product.Run({.x = pass.hidden[m],
                 .rows = pass.rows,
                 .y = tiles[m],
                 .ldy = strides[m],
                 .relu = false,
                 .padded = true,
                 .block_begin = begin,
                 .block_end = std::min(begin + output_blocks::kProductBlocks, product.blocks())});
  }
  for (int64_t r = 0; r < pass.rows; ++r) {
    float* logits[kMaxEnsembleMembers];
    for (size_t m = 0; m < members(); ++m) logits[m] = tiles[m] + r * strides[m];
    if (kind_ == MeanKind::kProbability) {
      FoldProbabilities(pass, block, r, logits, scratch);
    } else {
      FoldLogProbabilities(pass, block, r, logits, scratch);
    }
  }
}

namespace {

void Scale(const LogitRequest& request, float* logits, int64_t columns) {
  if (request.scale == 1.0F) return;
  for (int64_t c = 0; c < columns; ++c) logits[c] *= request.scale;
}

void Strike(const IdList& list, int64_t first, int64_t columns, float* logits) {
  output_blocks::ForIdsWithin(list, first, first + columns,
                              [&](int32_t, int64_t column) { logits[column] = -INFINITY; });
}

LogSum SumOf(const float* logits, int64_t columns) {
  const cpu::KernelTable& kernels = cpu::Kernels();
  LogSum sum;
  bool nan = false;
  sum.max = kernels.row_max(logits, columns, &nan);
  if (std::isfinite(sum.max)) sum.sum = kernels.exp_sum(logits, columns, sum.max);
  return sum;
}

}  // namespace

void OutputMean::FoldLogProbabilities(const Pass& pass, int64_t block, int64_t row,
                                      float* const* logits, const Scratch& scratch) const {
  const int64_t first = block * output_blocks::kBlockColumns;
  const LogitRequest& request = pass.requests[row];
  const int64_t columns =
      std::min(output_blocks::kBlockColumns, int64_t{members_.front().layer->vocabulary()} - first);
  const bool of_members = request.need_normaliser && !request.mask_first;
  for (size_t m = 0; m < members(); ++m) {
    const float weight = members_[m].weight;
    const float* const x = logits[m];
    if (m == 0) {
      for (int64_t c = 0; c < columns; ++c) scratch.mean[c] = weight * x[c];
    } else {
      for (int64_t c = 0; c < columns; ++c) scratch.mean[c] += weight * x[c];
    }
    if (!of_members) continue;
    Scale(request, logits[m], columns);
    if (pass.marked->Has(row, block)) Strike(request.excluded, first, columns, logits[m]);
    pass.sums[(static_cast<int64_t>(m) * blocks() + block) * pass.rows + row] =
        SumOf(logits[m], columns);
  }
  // The means are folded in place of logits. If masks act before the softmax, the mean is
  // normalised again, and the members' normalisers cancel out, because they are the same for all
  // tokens.
  LogitRequest of_mean = request;
  of_mean.need_normaliser = request.need_normaliser && request.mask_first;
  const LogSum sum =
      output_blocks::FoldBlock(of_mean, output_blocks::ColumnWords(), scratch.mean, first, columns,
                               scratch.partials[row], pass.summaries[row].wanted, nullptr);
  if (of_mean.need_normaliser) pass.sums[block * pass.rows + row] = sum;
}

float OutputMean::LogOfMean(const float* const* logits, const float* log_sums,
                            int64_t column) const {
  float score[kMaxEnsembleMembers];
  float most = -INFINITY;
  for (size_t m = 0; m < members(); ++m) {
    score[m] = log_sums[m] == -INFINITY ? -INFINITY : logits[m][column] - log_sums[m];
    most = std::max(most, score[m]);
  }
  if (most == -INFINITY) return most;
  float sum = 0;
  for (size_t m = 0; m < members(); ++m) sum += members_[m].weight * std::exp(score[m] - most);
  return std::min(most, most + std::log(sum));
}

void OutputMean::FoldProbabilities(const Pass& pass, int64_t block, int64_t row,
                                   float* const* logits, const Scratch& scratch) const {
  const int64_t first = block * output_blocks::kBlockColumns;
  const LogitRequest& request = pass.requests[row];
  const int64_t columns =
      std::min(output_blocks::kBlockColumns, int64_t{members_.front().layer->vocabulary()} - first);
  const float* const log_sums = log_sums_.data() + row * static_cast<int64_t>(members());
  output_blocks::Partial& partial = scratch.partials[row];
  const bool marked = pass.marked->Has(row, block);
  for (size_t m = 0; m < members(); ++m) {
    Scale(request, logits[m], columns);
    if (marked) Strike(request.excluded, first, columns, logits[m]);
  }
  if (request.logits != nullptr) {
    for (int64_t c = 0; c < columns; ++c) {
      request.logits[first + c] = LogOfMean(logits, log_sums, c) / request.scale;
    }
  }
  if (marked && request.mask_first) {
    for (const IdList& list : request.masked) {
      for (size_t m = 0; m < members(); ++m) Strike(list, first, columns, logits[m]);
    }
  }
  if (marked) {
    output_blocks::ForIdsWithin(
        request.wanted, first, first + columns, [&](int32_t i, int64_t column) {
          pass.summaries[row].wanted[i] = LogOfMean(logits, log_sums, column);
        });
  }
  if (request.need_normaliser && request.mask_first) {
    LogSum all;
    for (size_t m = 0; m < members(); ++m) {
      LogSum sum = SumOf(logits[m], columns);
      if (sum.max == -INFINITY || log_sums[m] == -INFINITY) continue;
      sum.max -= log_sums[m];
      sum.sum *= members_[m].weight;
      Merge(all, sum);
    }
    pass.sums[block * pass.rows + row] = all;
  }
  // `bound` becomes an upper bound of each token's log-probability in the mean.
  float* const bound = scratch.mean;
  std::fill_n(bound, columns, -INFINITY);
  for (size_t m = 0; m < members(); ++m) {
    if (log_sums[m] == -INFINITY) continue;
    const float* const x = logits[m];
    const float log_sum = log_sums[m];
    for (int64_t c = 0; c < columns; ++c) bound[c] = std::max(bound[c], x[c] - log_sum);
  }
  if (marked) {
    for (const IdList& list : request.masked) Strike(list, first, columns, bound);
    Strike(request.wanted, first, columns, bound);
  }
  output_blocks::ForCandidates(bound, columns, partial.top, [&](int64_t column) {
    Insert(partial.top,
           {LogOfMean(logits, log_sums, column), static_cast<int32_t>(first + column)});
  });
}

}  // namespace dragoman::kernels
