// Compares the separate sweeps with the production's single pass over the same logits. Tokens,
// their order and the log-probabilities must be the same.
#include "tests/gpu/variants/materialized_sweeps.h"

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "kernels/ops/output_layer_cuda.h"
#include "tests/gpu/variants/variants_test.h"
#include "tests/kernels/ops/emulated_ops.h"
#include "tests/kernels/ops/op_device.h"

namespace dragoman::kernels {
namespace {

using MaterializedSweepsTest = OnOpDevice;

// Returns multiples of 1/4 from -8 to 8: ties are frequent, and differences survive the subtraction
// of a normaliser.
std::vector<float> Quarters(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> x(count);
  for (float& v : x) v = static_cast<float>(static_cast<int>(random() % 65) - 32) / 4;
  return x;
}

TEST_P(MaterializedSweepsTest, FindWhatOnePassFinds) {
  const OpDevice device = GetParam();
  struct Case {
    int vocabulary, rows, k;
  };
  for (const Case c : {Case{1030, 3, 4}, {5, 2, 5}, {4099, 2, 10}, {2048, 1, 1}}) {
    SCOPED_TRACE(c.vocabulary);
    const auto rows = static_cast<size_t>(c.rows);
    const auto k = static_cast<size_t>(c.k);
    const size_t stride = (static_cast<size_t>(c.vocabulary) + 7) / 4 * 4;
    std::vector<float> logits = Quarters(rows * stride, 1);
    // Memory after a row must not be read. A token that the bias sets to -inf must never be found.
    for (size_t r = 0; r < rows; ++r) {
      for (size_t i = static_cast<size_t>(c.vocabulary); i < stride; ++i) {
        logits[r * stride + i] = NAN;
      }
    }
    std::vector<float> bias = Quarters(static_cast<size_t>(c.vocabulary), 2);
    if (c.vocabulary > c.k) bias[3] = -INFINITY;
    const OpArray<float> bias_there(device, bias);

    const OpArray<float> swept(device, logits);
    const OpArray<float> maxima(device, std::vector<float>(rows));
    const OpArray<float> sums(device, std::vector<float>(rows));
    const OpArray<int32_t> token(device, std::vector<int32_t>(rows * k, -1));
    const OpArray<float> log_prob(device, std::vector<float>(rows * k));
    const auto sweep = DRAGOMAN_LAUNCHER(device, SeparateSweeps);
    EXPECT_LAUNCHED(sweep(kTestStream, swept.data(), static_cast<int64_t>(stride),
                          bias_there.data(), c.vocabulary, c.rows, c.k, maxima.data(), sums.data(),
                          token.data(), log_prob.data()));

    const OpArray<float> folded(device, logits);
    std::vector<int32_t> numbers(rows);
    std::iota(numbers.begin(), numbers.end(), 0);
    const OpArray<int32_t> list(device, numbers);
    const OpArray<int32_t> count(device, {c.rows});
    const OpArray<TokenScore> top(device, std::vector<TokenScore>(rows * k));
    const OpArray<LogitRequest> requests(
        device, std::vector<LogitRequest>(rows, {.k = c.k, .need_normaliser = true}));
    std::vector<LogitSummary> row_summaries(rows);
    for (size_t r = 0; r < rows; ++r) row_summaries[r].top = top.data() + r * k;
    const OpArray<LogitSummary> summaries(device, row_summaries);
    const auto fold = DRAGOMAN_LAUNCHER(device, FoldMaterializedLogits);
    EXPECT_LAUNCHED(fold(kTestStream, folded.data(), static_cast<int64_t>(stride),
                         bias_there.data(), c.vocabulary, {list.data(), count.data(), c.rows}, 0,
                         c.rows, requests.data(), summaries.data()));

    const std::vector<int32_t> tokens = token.Download();
    const std::vector<float> log_probs = log_prob.Download();
    const std::vector<TokenScore> best = top.Download();
    row_summaries = summaries.Download();
    for (size_t r = 0; r < rows; ++r) {
      ASSERT_EQ(row_summaries[r].count, c.k);
      for (size_t i = r * k; i < (r + 1) * k; ++i) {
        EXPECT_EQ(tokens[i], best[i].token) << i;
        const double expected = LogProb(best[i].score, row_summaries[r].normaliser);
        EXPECT_NEAR(log_probs[i], expected, 1e-5 * std::max(1.0, std::abs(expected))) << i;
      }
    }
  }
}

TEST_P(MaterializedSweepsTest, RefuseRowsThatAreNotAligned) {
  const OpDevice device = GetParam();
  const OpArray<float> numbers(device, std::vector<float>(64));
  const OpArray<int32_t> token(device, std::vector<int32_t>(8));
  const auto sweep = DRAGOMAN_LAUNCHER(device, SeparateSweeps);
  const auto run = [&](int64_t stride, int k) {
    return sweep(kTestStream, numbers.data(), stride, numbers.data(), 6, 1, k, numbers.data() + 32,
                 numbers.data() + 36, token.data(), numbers.data() + 40);
  };
  EXPECT_NE(run(7, 2), cuda::Error::kNone);
  EXPECT_NE(run(4, 2), cuda::Error::kNone);
  EXPECT_NE(run(8, 7), cuda::Error::kNone);
  EXPECT_LAUNCHED(run(8, 2));
}

DRAGOMAN_FOR_LAUNCH_DEVICES(MaterializedSweepsTest, FloatDevices());

}  // namespace
}  // namespace dragoman::kernels
