// The reference for the mean of an ensemble's members, in double, and the check of an answer.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/base/mean_kind.h"
#include "tests/kernels/ops/row_questions.h"

namespace dragoman::kernels {

inline constexpr MeanKind kMeanKinds[] = {MeanKind::kProbability, MeanKind::kLogProbability};

inline double LogSumOf(const std::vector<double>& x) {
  const double max = *std::max_element(x.begin(), x.end());
  if (max == -INFINITY) return max;
  double sum = 0;
  for (const double v : x) sum += std::exp(v - max);
  return max + std::log(sum);
}

// Returns the log of the mean [vocabulary] of logits [members][vocabulary]; -inf if excluded.
inline std::vector<double> MeanOf(MeanKind kind, const std::vector<std::vector<double>>& logits,
                                  const std::vector<float>& weights, const Question& q) {
  const size_t vocabulary = logits[0].size();
  std::vector<double> mean(vocabulary, 0.0);
  for (size_t m = 0; m < logits.size(); ++m) {
    std::vector<double> x = logits[m];
    for (size_t c = 0; c < vocabulary; ++c) {
      x[c] = Has(q.excluded, static_cast<int>(c)) ? -INFINITY : x[c] * double{q.scale};
    }
    const double log_sum = LogSumOf(x);
    for (size_t c = 0; c < vocabulary; ++c) {
      const double log_p = x[c] == -INFINITY ? -INFINITY : x[c] - log_sum;
      mean[c] += weights[m] * (kind == MeanKind::kProbability ? std::exp(log_p) : log_p);
    }
  }
  if (kind == MeanKind::kProbability) {
    for (double& x : mean) x = std::log(x);
  }
  if (!q.mask_first) return mean;
  for (size_t c = 0; c < vocabulary; ++c) {
    if (Masked(q, static_cast<int>(c))) mean[c] = -INFINITY;
  }
  const double log_sum = LogSumOf(mean);
  for (double& x : mean) x = x == -INFINITY ? x : x - log_sum;
  return mean;
}

// Checks `a`, where `expected` is MeanOf the question. Scores must be within 3e-5, in the same
// order.
inline void ExpectMeanAnswer(const Answer& a, const Question& q,
                             const std::vector<double>& expected) {
  ASSERT_FALSE(a.nan);
  const int vocabulary = static_cast<int>(expected.size());
  // Without a normaliser, all scores are too high by the same constant.
  double shift = 0;
  std::vector<int> order;
  for (int c = 0; c < vocabulary; ++c) {
    if (MayBeAmongTheBest(q, c) && expected[c] > -INFINITY) order.push_back(c);
  }
  std::sort(order.begin(), order.end(), [&](int x, int y) { return expected[x] > expected[y]; });
  ASSERT_EQ(a.top.size(), std::min<size_t>(q.k, order.size()));
  const auto score = [&](float key) {
    return q.normaliser ? double{LogProb(key, a.normaliser)} : double{key} - shift;
  };
  if (!q.normaliser && !a.top.empty()) shift = a.top[0].score - expected[order[0]];
  for (size_t i = 0; i < a.top.size(); ++i) {
    EXPECT_NEAR(score(a.top[i].score), expected[order[i]], 3e-5);
    EXPECT_NEAR(score(a.top[i].score), expected[a.top[i].token], 3e-5);
    EXPECT_TRUE(MayBeAmongTheBest(q, a.top[i].token));
    if (i > 0) {
      EXPECT_TRUE(Better(a.top[i - 1], a.top[i]));
    }
  }
  const auto expect = [&](double found, int token) {
    if (std::isinf(expected[token])) {
      EXPECT_EQ(found, -INFINITY);
    } else {
      EXPECT_NEAR(found, expected[token], 3e-5);
    }
  };
  for (size_t i = 0; i < q.wanted.size() && (q.normaliser || !a.top.empty()); ++i) {
    expect(score(a.wanted[i]), q.wanted[i]);
  }
  for (int c = 0; q.store && q.normaliser && !q.mask_first && c < vocabulary; ++c) {
    if (!Has(q.excluded, c)) expect(LogProb(a.materialized[c] * q.scale, a.normaliser), c);
  }
}

}  // namespace dragoman::kernels
