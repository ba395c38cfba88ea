// Reference: the parts of a decoder outside the search: the output layer's sum (SEARCH.md b), the
// cache table, cross-attention and attention in two parts (e). In double, with plain loops.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tests/engine/support/reference_model.h"

namespace dragoman::testing {

using RealVector = std::vector<double>;
using RealMatrix = std::vector<RealVector>;  // rows

// Merges pairs of a maximum and a sum of exp(x - maximum) into the log of the sum of all exp(x).
double MergedLogSum(const std::vector<std::pair<double, double>>& parts);

// Entry t is the table after t reorders: [past step][lane], the slot that the lane reads for that
// step. parents[t][lane] is the lane that it continues.
std::vector<std::vector<TokenList>> CacheTables(int32_t beam,
                                                const std::vector<TokenList>& parents);

// Returns one query's softmax weights over unmasked rows of keys, scaled by 1/sqrt(width).
RealVector AttentionWeights(const RealVector& query, const RealMatrix& keys,
                            const std::vector<int32_t>& mask);

struct CrossAttention {
  RealVector query;
  RealMatrix memory, wq, wk, wv;  // rows of y = x W + b
  RealVector bq, bk, bv;
  int32_t heads = 1;
  std::vector<int32_t> mask;  // 0: masked
};
// Computes keys and values of the memory, then one softmax per head (a block of adjacent columns).
RealVector CrossAttentionContext(const CrossAttention& a);
// The EL form: multiplies the query by Wk and the result by Wv, without keys and values.
RealVector CrossAttentionContextEl(const CrossAttention& a);

// Computes one softmax over both parts.
RealVector SplitAttentionContext(const RealVector& query, const RealMatrix& k_prefix,
                                 const RealMatrix& v_prefix, const RealMatrix& k_gen,
                                 const RealMatrix& v_gen);

}  // namespace dragoman::testing
