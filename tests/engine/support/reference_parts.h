// Reference: the parts of a decoder that are no search - the output layer's sum (SEARCH.md b),
// the cache table, cross-attention and attention in two parts (e). In double, one loop after the
// other.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tests/engine/support/reference_model.h"

namespace dragoman::testing {

using RealVector = std::vector<double>;
using RealMatrix = std::vector<RealVector>;  // rows

// Merges pairs of a maximum and a sum of exp(x - maximum): the log of the sum of all exp(x).
double MergedLogSum(const std::vector<std::pair<double, double>>& parts);

// Entry t is the table after t reorders: [past step][lane], the slot that the lane reads for that
// step. parents[t][lane] is the lane that it goes on from.
std::vector<std::vector<TokenList>> CacheTables(int32_t beam,
                                                const std::vector<TokenList>& parents);

// Weights of one query over rows of keys, scaled by 1/sqrt(width): softmax over those not masked.
RealVector AttentionWeights(const RealVector& query, const RealMatrix& keys,
                            const std::vector<int32_t>& mask);

struct CrossAttention {
  RealVector query;
  RealMatrix memory, wq, wk, wv;  // y = x W + b
  RealVector bq, bk, bv;
  int32_t heads = 1;
  std::vector<int32_t> mask;  // 0: not attended to
};
// Keys and values of the memory, then one softmax for each head (a block of neighbouring columns).
RealVector CrossAttentionContext(const CrossAttention& a);
// The EL form: the query goes through Wk, and what was attended to through Wv; no keys, no values.
RealVector CrossAttentionContextEl(const CrossAttention& a);

// One softmax over both parts.
RealVector SplitAttentionContext(const RealVector& query, const RealMatrix& k_prefix,
                                 const RealMatrix& v_prefix, const RealMatrix& k_gen,
                                 const RealMatrix& v_gen);

}  // namespace dragoman::testing
