#include "tests/engine/support/reference_parts.h"

#include <algorithm>
#include <cmath>

#include "tests/engine/support/reference_scores.h"

namespace dragoman::testing {
namespace {

RealVector Apply(const RealVector& x, const RealMatrix& w, const RealVector& b) {
  RealVector y = b;
  for (size_t j = 0; j < y.size(); ++j) {
    for (size_t i = 0; i < x.size(); ++i) y[j] += x[i] * w[i][j];
  }
  return y;
}

double Dot(const RealVector& a, const RealVector& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

RealVector Columns(const RealVector& row, size_t head, size_t width) {
  const auto begin = row.begin() + static_cast<std::ptrdiff_t>(head * width);
  return {begin, begin + static_cast<std::ptrdiff_t>(width)};
}

RealVector Mean(const RealVector& weights, const RealMatrix& rows) {
  RealVector sum(rows.front().size(), 0);
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += weights[r] * rows[r][i];
  }
  return sum;
}

}  // namespace

double MergedLogSum(const std::vector<std::pair<double, double>>& parts) {
  double max = kNegInf;
  for (const auto& [m, s] : parts) max = std::max(max, m);
  if (max == kNegInf) return kNegInf;
  double sum = 0;
  for (const auto& [m, s] : parts) {
    if (m != kNegInf) sum += s * std::exp(m - max);
  }
  return max + std::log(sum);
}

std::vector<std::vector<TokenList>> CacheTables(int32_t beam,
                                                const std::vector<TokenList>& parents) {
  TokenList own;
  for (int32_t lane = 0; lane < beam; ++lane) own.push_back(lane);
  std::vector<std::vector<TokenList>> tables = {{own}};
  for (const TokenList& parent : parents) {
    std::vector<TokenList> table;
    for (const TokenList& row : tables.back()) {
      TokenList moved;
      for (const int32_t p : parent) moved.push_back(row[static_cast<size_t>(p)]);
      table.push_back(moved);
    }
    table.push_back(own);
    tables.push_back(table);
  }
  return tables;
}

RealVector AttentionWeights(const RealVector& query, const RealMatrix& keys,
                            const std::vector<int32_t>& mask) {
  RealVector scores;
  for (size_t r = 0; r < keys.size(); ++r) {
    const double score = Dot(query, keys[r]) / std::sqrt(static_cast<double>(query.size()));
    scores.push_back(mask[r] == 0 ? kNegInf : score);
  }
  RealVector weights = LogSoftmax(scores);
  for (double& w : weights) w = std::exp(w);
  return weights;
}

RealVector CrossAttentionContext(const CrossAttention& a) {
  const size_t width = a.query.size() / static_cast<size_t>(a.heads);
  const RealVector q = Apply(a.query, a.wq, a.bq);
  RealVector context;
  for (size_t head = 0; head < static_cast<size_t>(a.heads); ++head) {
    RealMatrix keys;
    RealMatrix values;
    for (const RealVector& row : a.memory) {
      keys.push_back(Columns(Apply(row, a.wk, a.bk), head, width));
      values.push_back(Columns(Apply(row, a.wv, a.bv), head, width));
    }
    const RealVector part = Mean(AttentionWeights(Columns(q, head, width), keys, a.mask), values);
    context.insert(context.end(), part.begin(), part.end());
  }
  return context;
}

RealVector CrossAttentionContextEl(const CrossAttention& a) {
  const size_t width = a.query.size() / static_cast<size_t>(a.heads);
  const RealVector q = Apply(a.query, a.wq, a.bq);
  RealVector context;
  for (size_t head = 0; head < static_cast<size_t>(a.heads); ++head) {
    const RealVector q_h = Columns(q, head, width);
    RealVector through(a.query.size(), 0);  // q_h Wk_h^T; bk would add the same to all scores
    for (size_t i = 0; i < through.size(); ++i)
      through[i] = Dot(q_h, Columns(a.wk[i], head, width));
    RealVector scores;
    for (size_t r = 0; r < a.memory.size(); ++r) {
      const double score = Dot(through, a.memory[r]) / std::sqrt(static_cast<double>(width));
      scores.push_back(a.mask[r] == 0 ? kNegInf : score);
    }
    RealVector weights = LogSoftmax(scores);
    for (double& w : weights) w = std::exp(w);
    const RealVector part = Columns(Apply(Mean(weights, a.memory), a.wv, a.bv), head, width);
    context.insert(context.end(), part.begin(), part.end());
  }
  return context;
}

RealVector SplitAttentionContext(const RealVector& query, const RealMatrix& k_prefix,
                                 const RealMatrix& v_prefix, const RealMatrix& k_gen,
                                 const RealMatrix& v_gen) {
  RealMatrix keys = k_prefix;
  keys.insert(keys.end(), k_gen.begin(), k_gen.end());
  RealMatrix values = v_prefix;
  values.insert(values.end(), v_gen.begin(), v_gen.end());
  return Mean(AttentionWeights(query, keys, std::vector<int32_t>(keys.size(), 1)), values);
}

}  // namespace dragoman::testing
