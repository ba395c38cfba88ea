#include "kernels/ops/output_layer.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "tests/kernels/ops/row_questions.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

std::vector<Answer> FoldAll(const OutputLayer& layer, OpContext& context, const float* hidden,
                            const std::vector<Question>& questions) {
  std::vector<LogitRequest> requests;
  std::vector<LogitSummary> summaries(questions.size());
  std::vector<Answer> answers(questions.size());
  for (size_t r = 0; r < questions.size(); ++r) {
    requests.push_back(Ask(questions[r], answers[r], layer.vocabulary(), summaries[r]));
  }
  layer.Fold(context, hidden, static_cast<int64_t>(questions.size()), requests.data(),
             summaries.data());
  for (size_t r = 0; r < questions.size(); ++r) Take(summaries[r], answers[r]);
  return answers;
}

std::vector<double> Logits(const std::vector<float>& w, const std::vector<float>& bias,
                           const float* hidden, int d, int vocabulary) {
  std::vector<double> logits(vocabulary);
  for (int c = 0; c < vocabulary; ++c) {
    logits[c] = bias[c];
    for (int k = 0; k < d; ++k) logits[c] += double(hidden[k]) * w[size_t(c) * d + k];
  }
  return logits;
}

using OutputLayerTest = PerIsaAndType;

TEST_P(OutputLayerTest, AgreesWithSortAndDouble) {
  for (const auto& [d, vocabulary] :
       {std::pair{8, 1}, {16, 3}, {33, 95}, {40, 480}, {40, 481}, {24, 961}, {64, 1500}}) {
    const auto w = RandomFloats(size_t(d) * vocabulary, 1, 0.5F);
    const auto bias = RandomFloats(vocabulary, 2);
    const int rows = 40;
    const auto hidden = RandomFloats(size_t(rows) * d, 3);
    const auto layer = OutputLayer::Create(w.data(), bias.data(), d, vocabulary, type());
    const auto questions = RandomQuestions(rows, vocabulary, 4);
    const auto taken_w = AsWeights(type(), w, d);
    const auto taken_hidden = AsOperand(type(), hidden, d);
    OpContext context;
    const auto answers = FoldAll(*layer, context, hidden.data(), questions);
    for (int r = 0; r < rows; ++r) {
      const Question& q = questions[r];
      const Answer& a = answers[r];
      auto logits = Logits(taken_w, bias, taken_hidden.data() + size_t(r) * d, d, vocabulary);
      for (int c = 0; q.store && c < vocabulary; ++c)
        EXPECT_NEAR(a.materialized[c], logits[c], 2e-5);
      for (int c = 0; c < vocabulary; ++c) {
        logits[c] = Struck(q, c) ? -INFINITY : logits[c] * double{q.scale};
      }
      EXPECT_FALSE(a.nan);
      double max = -INFINITY;
      double sum = 0.0;
      for (const double x : logits) max = std::max(max, x);
      for (const double x : logits) sum += max == -INFINITY ? 0.0 : std::exp(x - max);
      if (q.normaliser && max > -INFINITY) {
        EXPECT_NEAR(LogSumValue(a.normaliser), max + std::log(sum), 2e-5);
      } else {
        EXPECT_EQ(a.normaliser.max, -INFINITY);
      }
      for (size_t i = 0; i < q.wanted.size(); ++i) {
        if (std::isinf(logits[q.wanted[i]])) {
          EXPECT_EQ(a.wanted[i], -INFINITY);
        } else {
          EXPECT_NEAR(a.wanted[i], logits[q.wanted[i]], 2e-5);
        }
      }
      std::vector<int> order;
      for (int c = 0; c < vocabulary; ++c) {
        if (MayBeAmongTheBest(q, c)) order.push_back(c);
      }
      std::sort(order.begin(), order.end(), [&](int x, int y) { return logits[x] > logits[y]; });
      ASSERT_EQ(a.top.size(), std::min<size_t>(q.k, order.size()));
      for (size_t i = 0; i < a.top.size(); ++i) {
        // Compares scores, because two nearly equal logits may swap places.
        EXPECT_NEAR(a.top[i].score, logits[order[i]], 2e-5);
        EXPECT_NEAR(a.top[i].score, logits[a.top[i].token], 2e-5);
        EXPECT_TRUE(MayBeAmongTheBest(q, a.top[i].token));
        if (i > 0) {
          EXPECT_TRUE(Better(a.top[i - 1], a.top[i]));
        }
      }
    }
  }
}

TEST_P(OutputLayerTest, RowsAreBitEqualInAnyCompany) {
  const int d = 48;
  const int vocabulary = 2003;  // five blocks, the last one partial
  const int most = 300;
  const auto w = RandomFloats(size_t(d) * vocabulary, 1);
  const auto bias = RandomFloats(vocabulary, 2);
  const auto hidden = RandomFloats(size_t(most) * d, 3);
  const auto layer = OutputLayer::Create(w.data(), bias.data(), d, vocabulary, type());
  const auto questions = RandomQuestions(most, vocabulary, 4);
  OpContext one;
  std::vector<Answer> alone(most);
  for (int r = 0; r < most; ++r) {
    alone[r] = FoldAll(*layer, one, hidden.data() + size_t(r) * d, {questions[r]})[0];
  }
  for (const int threads : kThreadCounts) {
    OpContext context(threads, 1);
    for (int rows = 1; rows <= most; rows += rows < 10 ? 1 : 29) {
      const int first = most - rows;
      const auto answers = FoldAll(*layer, context, hidden.data() + size_t(first) * d,
                                   {questions.begin() + first, questions.end()});
      for (int r = 0; r < rows; ++r) {
        ASSERT_TRUE(answers[r] == alone[first + r]) << rows << " " << r << " " << threads;
      }
    }
  }
}

// A few rows among many need more than a sum and a comparison per block: ascending logits, each of
// which enters the list, logits that overflow exp unless a maximum is subtracted, and questions
// with masks or exclusions. These and all other rows must give the same answers as alone.
TEST_P(OutputLayerTest, FewRowsWithMoreToDoAreAsAlone) {
  const int d = 48;
  const int vocabulary = 2003;
  const int rows = 100;
  auto w = RandomFloats(size_t(d) * vocabulary, 1);
  for (int c = 0; c < vocabulary; ++c) w[size_t(c) * d] = 0.01F * float(c);
  auto hidden = RandomFloats(size_t(rows) * d, 3);
  for (int r = 0; r < rows; ++r) hidden[size_t(r) * d] = 0.0F;
  const auto set = [&](int row, float first) {
    std::fill_n(hidden.data() + size_t(row) * d, d, 0.0F);
    hidden[size_t(row) * d] = first;
  };
  set(20, 1.0F);     // logits ascend to 20
  set(40, 50.0F);    // logits ascend to 1000
  set(60, -100.0F);  // logits descend to -2000
  std::vector<Question> questions(rows, {.k = 8, .normaliser = true});
  questions[10].scale = 0.5F;
  questions[30].masked[0] = {700, 1100};
  questions[50].excluded = {1500};
  questions[70].wanted = {0, 2002};
  const auto layer = OutputLayer::Create(w.data(), nullptr, d, vocabulary, type());
  for (const int threads : kThreadCounts) {
    OpContext context(threads, 1);
    const auto answers = FoldAll(*layer, context, hidden.data(), questions);
    for (int r = 0; r < rows; ++r) {
      OpContext one;
      const Answer alone = FoldAll(*layer, one, hidden.data() + size_t(r) * d, {questions[r]})[0];
      EXPECT_TRUE(answers[r] == alone) << r << " " << threads;
      EXPECT_FALSE(answers[r].nan) << r;
    }
    EXPECT_NEAR(answers[20].top[0].score, 20.02, 0.05);
    EXPECT_NEAR(answers[40].top[0].score, 1001.0, 3.0);
    EXPECT_NEAR(answers[60].top[0].score, 0.0, 2.0);
  }
}

// Each logit is the small difference of a large sum and a large bias, so its rounding error is that
// of the large numbers. The best tokens must still be the exact ones.
TEST_P(OutputLayerTest, SumsThatBiasesCancelLoseNoCandidate) {
  const int d = 4;
  const int vocabulary = 2003;
  const int k = 8;
  std::mt19937 random(1);
  for (float large = 512.0F; large < 2048.0F; large += 64.0F) {
    std::vector<float> w(size_t(d) * vocabulary, 0.0F);
    std::vector<float> bias(vocabulary);
    for (int c = 0; c < vocabulary; ++c) {
      w[size_t(c) * d] = large;
      bias[c] = -large + 0.05F * float(int(random() % 2001) - 1000) / 1000;
    }
    std::vector<int32_t> best(vocabulary);
    std::iota(best.begin(), best.end(), 0);
    std::stable_sort(best.begin(), best.end(), [&](int a, int b) { return bias[a] > bias[b]; });
    best.resize(k);
    const auto layer = OutputLayer::Create(w.data(), bias.data(), d, vocabulary, type());
    OpContext context;
    for (const int rows : {1, 64}) {
      std::vector<float> hidden(size_t(rows) * d, 0.0F);
      for (int r = 0; r < rows; ++r) hidden[size_t(r) * d] = 1.0F;
      const auto answers = FoldAll(*layer, context, hidden.data(),
                                   std::vector<Question>(rows, {.k = k, .normaliser = true}));
      for (const Answer& a : answers) {
        std::vector<int32_t> tokens;
        for (const TokenScore& x : a.top) tokens.push_back(x.token);
        EXPECT_EQ(tokens, best) << large << " " << rows;
      }
    }
  }
}

// Among equal logits the lowest tokens must win, in whatever block they are.
TEST_P(OutputLayerTest, TiesGoToTheLowerToken) {
  const int d = 4;
  const int vocabulary = 1200;
  const std::vector<float> w(size_t(d) * vocabulary, 0.0F);
  std::vector<float> bias(vocabulary, 1.0F);
  bias[700] = 2.0F;
  bias[1100] = 2.0F;
  const auto layer = OutputLayer::Create(w.data(), bias.data(), d, vocabulary, type());
  const std::vector<float> hidden(d, 1.0F);
  for (const int threads : kThreadCounts) {
    OpContext context(threads, 1);
    const Answer a = FoldAll(*layer, context, hidden.data(), {{.k = 5, .masked = {{1}, {}}}})[0];
    std::vector<int32_t> tokens;
    for (const TokenScore& x : a.top) tokens.push_back(x.token);
    EXPECT_EQ(tokens, (std::vector<int32_t>{700, 1100, 0, 2, 3}));
  }
}

TEST_P(OutputLayerTest, LargeLogitsAndRowsWithoutAnyKeepTheirHead) {
  const int d = 2;
  const int vocabulary = 1000;
  std::vector<float> w(size_t(d) * vocabulary, 0.0F);
  std::vector<float> bias(vocabulary);
  for (int c = 0; c < vocabulary; ++c) bias[c] = c % 2 == 0 ? -1e4F : 1e4F - float(c);
  const auto layer = OutputLayer::Create(w.data(), bias.data(), d, vocabulary, type());
  const std::vector<float> hidden(d, 1.0F);
  OpContext context;
  const Answer a = FoldAll(*layer, context, hidden.data(), {{.k = 2, .wanted = {0, 999}}})[0];
  // exp(0) + exp(-2) + exp(-4) ...
  EXPECT_NEAR(LogSumValue(a.normaliser), 9999.0 - std::log(1.0 - std::exp(-2.0)), 2e-3);
  EXPECT_EQ(a.top[0].token, 1);
  EXPECT_EQ(a.wanted[0], -1e4F);
  EXPECT_EQ(a.wanted[1], 9001.0F);
  EXPECT_NEAR(LogProb(a.wanted[0], a.normaliser), -19999.145, 2e-2);

  std::fill(bias.begin(), bias.end(), -INFINITY);
  const auto empty = OutputLayer::Create(w.data(), bias.data(), d, vocabulary, type());
  const Answer none = FoldAll(*empty, context, hidden.data(), {{.k = 3, .wanted = {7}}})[0];
  EXPECT_FALSE(none.nan);
  EXPECT_TRUE(none.top.empty());
  EXPECT_EQ(none.normaliser.max, -INFINITY);
  EXPECT_EQ(none.normaliser.sum, 0.0F);
  EXPECT_EQ(none.wanted[0], -INFINITY);
}

TEST_P(OutputLayerTest, ReportsNanAndInfinityOfARowAlone) {
  const int d = 20;
  const int vocabulary = 700;
  const auto w = RandomFloats(size_t(d) * vocabulary, 1);
  const auto layer = OutputLayer::Create(w.data(), nullptr, d, vocabulary, type());
  auto hidden = RandomFloats(size_t(5) * d, 3);
  hidden[2 * d + 7] = NAN;
  hidden[4 * d + 1] = std::numeric_limits<float>::infinity();
  for (const bool normaliser : {false, true}) {
    for (const int threads : kThreadCounts) {
      OpContext context(threads, 1);
      const auto answers =
          FoldAll(*layer, context, hidden.data(), std::vector<Question>(5, {4, normaliser}));
      for (int r = 0; r < 5; ++r) EXPECT_EQ(answers[r].nan, r == 2 || r == 4) << r;
    }
  }
}

// The infinite logit is not in the first block, whose logits are always examined one by one. Some
// tokens have a bias of -inf, which is not an error.
TEST_P(OutputLayerTest, AnInfiniteLogitOfALaterBlockIsReported) {
  const int d = 20;
  const int vocabulary = 2003;
  const int rows = 40;
  auto w = RandomFloats(size_t(d) * vocabulary, 1);
  std::fill_n(w.data() + size_t(1700) * d, d, 1e30F);
  std::vector<float> bias(vocabulary, 0.0F);
  for (int c = 0; c < vocabulary; c += 5) bias[c] = -INFINITY;
  bias[1700] = -1e31F;
  const auto layer = OutputLayer::Create(w.data(), bias.data(), d, vocabulary, type());
  std::vector<float> hidden(size_t(rows) * d, 0.1F);
  std::fill_n(hidden.data() + size_t(23) * d, d, 1e10F);
  for (const bool normaliser : {false, true}) {
    OpContext context;
    const auto answers =
        FoldAll(*layer, context, hidden.data(), std::vector<Question>(rows, {4, normaliser}));
    for (int r = 0; r < rows; ++r) {
      EXPECT_EQ(answers[r].nan, r == 23) << r;
    }
  }
}

DRAGOMAN_FOR_EVERY_ISA_AND_TYPE(OutputLayerTest);

// Tests the vector exp that the folds use, with every instruction set.
using ExpTest = PerIsa;

TEST_P(ExpTest, IsWithinTwoUnitsInTheLastPlace) {
  const cpu::KernelTable& kernels = cpu::Kernels();
  double worst = 0.0;
  for (int i = 0; i <= 235'000; ++i) {
    const float x = static_cast<float>(i) * -0.00037F;
    const double expected = std::exp(double(x));
    worst = std::max(worst, std::abs(kernels.exp_sum(&x, 1, 0.0F) - expected) / expected);
  }
  EXPECT_LT(worst, 2.0e-7);
  for (const float x : {-88.0F, -1e4F, -INFINITY}) EXPECT_EQ(kernels.exp_sum(&x, 1, 0.0F), 0.0F);
  const float zero = 0.0F;
  EXPECT_EQ(kernels.exp_sum(&zero, 1, 0.0F), 1.0F);
}

DRAGOMAN_FOR_EVERY_ISA(ExpTest);

}  // namespace
}  // namespace dragoman::kernels
