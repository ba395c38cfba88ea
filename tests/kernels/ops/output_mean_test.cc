#include "kernels/ops/output_mean.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <tuple>

#include "tests/kernels/ops/mean_reference.h"
#include "tests/kernels/ops/row_questions.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

// Members with the same vocabulary and different widths.
struct Members {
  Members(ComputeType type, std::vector<int> widths, int vocabulary, uint32_t seed)
      : vocabulary(vocabulary), d(std::move(widths)) {
    for (size_t m = 0; m < d.size(); ++m) {
      const auto s = static_cast<uint32_t>(seed + 10 * m);
      w.push_back(RandomFloats(size_t(d[m]) * vocabulary, s, 0.5F));
      bias.push_back(RandomFloats(vocabulary, s + 1, 2.0F));
      Pack(type, m);
    }
  }

  void Pack(ComputeType type, size_t m) {
    layers.resize(d.size());
    layers[m] = OutputLayer::Create(w[m].data(), bias[m].data(), d[m], vocabulary, type);
    taken_w.resize(d.size());
    taken_w[m] = AsWeights(type, w[m], d[m]);
  }

  std::vector<OutputMember> Outputs(const std::vector<float>& weights) const {
    std::vector<OutputMember> outputs;
    for (size_t m = 0; m < d.size(); ++m) outputs.push_back({layers[m].get(), weights[m]});
    return outputs;
  }

  // [members][rows, d]
  std::vector<std::vector<float>> Hidden(int rows, uint32_t seed) const {
    std::vector<std::vector<float>> hidden;
    for (size_t m = 0; m < d.size(); ++m) {
      hidden.push_back(RandomFloats(size_t(rows) * d[m], static_cast<uint32_t>(seed + m)));
    }
    return hidden;
  }

  std::vector<double> Logits(ComputeType type, size_t m, const float* hidden) const {
    const auto taken = AsOperand(type, std::vector<float>(hidden, hidden + d[m]), d[m]);
    std::vector<double> logits(vocabulary);
    for (int c = 0; c < vocabulary; ++c) {
      logits[c] = bias[m][c];
      for (int k = 0; k < d[m]; ++k)
        logits[c] += double(taken[k]) * taken_w[m][size_t(c) * d[m] + k];
    }
    return logits;
  }

  const int vocabulary;
  const std::vector<int> d;
  std::vector<std::vector<float>> w, bias, taken_w;
  std::vector<std::unique_ptr<OutputLayer>> layers;
};

std::vector<Answer> FoldAll(OutputMean& mean, const Members& members, OpContext& context,
                            const std::vector<std::vector<float>>& hidden, int first,
                            const std::vector<Question>& questions) {
  std::vector<LogitRequest> requests;
  std::vector<LogitSummary> summaries(questions.size());
  std::vector<Answer> answers(questions.size());
  for (size_t r = 0; r < questions.size(); ++r) {
    requests.push_back(Ask(questions[r], answers[r], members.vocabulary, summaries[r]));
  }
  std::vector<const float*> rows;
  for (size_t m = 0; m < hidden.size(); ++m) {
    rows.push_back(hidden[m].data() + size_t(first) * members.d[m]);
  }
  mean.Fold(context, rows.data(), static_cast<int64_t>(questions.size()), requests.data(),
            summaries.data());
  for (size_t r = 0; r < questions.size(); ++r) Take(summaries[r], answers[r]);
  return answers;
}

using OutputMeanTest = PerIsaAndType;

TEST_P(OutputMeanTest, AgreesWithSortAndDouble) {
  const int rows = 30;
  for (const auto& [widths, weights, vocabulary] :
       std::vector<std::tuple<std::vector<int>, std::vector<float>, int>>{
           {{16}, {1.0F}, 97},
           {{8, 24}, {0.5F, 0.5F}, 3},
           {{33, 16, 40}, {0.5F, 0.3F, 0.2F}, 481},
           {{8, 8, 8, 8, 8, 8, 8, 8}, std::vector<float>(8, 0.125F), 1100}}) {
    const Members members(type(), widths, vocabulary, 1);
    const auto hidden = members.Hidden(rows, 77);
    const auto questions = RandomQuestions(rows, vocabulary, 4);
    for (const MeanKind kind : kMeanKinds) {
      OutputMean mean(members.Outputs(weights), kind);
      OpContext context;
      const auto answers = FoldAll(mean, members, context, hidden, 0, questions);
      for (int r = 0; r < rows; ++r) {
        const Question& q = questions[r];
        const Answer& a = answers[r];
        std::vector<std::vector<double>> logits;
        for (size_t m = 0; m < widths.size(); ++m) {
          logits.push_back(members.Logits(type(), m, hidden[m].data() + size_t(r) * widths[m]));
        }
        ExpectMeanAnswer(a, q, MeanOf(kind, logits, weights, q));
      }
    }
  }
}

// The probabilities are far below the smallest float.
TEST_P(OutputMeanTest, ScoresDoNotUnderflow) {
  const int vocabulary = 700;
  Members members(type(), {4, 4}, vocabulary, 1);
  for (size_t m = 0; m < 2; ++m) {
    std::fill(members.w[m].begin(), members.w[m].end(), 0.0F);
    std::fill(members.bias[m].begin(), members.bias[m].end(), 0.0F);
    members.bias[m][5] = 500.0F;
    members.bias[m][600] = m == 0 ? 100.0F : 200.0F;
    members.Pack(type(), m);
  }
  OpContext context;
  const auto hidden = members.Hidden(1, 3);
  for (const MeanKind kind : kMeanKinds) {
    OutputMean mean(members.Outputs({0.25F, 0.75F}), kind);
    const Answer a = FoldAll(mean, members, context, hidden, 0, {{.k = 2, .wanted = {600}}})[0];
    EXPECT_EQ(a.top[0].token, 5);
    EXPECT_EQ(a.top[1].token, 0);
    EXPECT_NEAR(LogProb(a.top[0].score, a.normaliser), 0.0, 1e-4);
    EXPECT_NEAR(LogProb(a.top[1].score, a.normaliser), -500.0, 1e-3);
    const double expected = kind == MeanKind::kProbability ? -300 + std::log(0.75) : -325;
    EXPECT_NEAR(LogProb(a.wanted[0], a.normaliser), expected, 1e-3);
    // With token 5 masked and the rest renormalised, token 600 is almost certain.
    const Answer left = FoldAll(mean, members, context, hidden, 0,
                                {{.k = 1, .mask_first = true, .masked = {{5}, {}}}})[0];
    EXPECT_EQ(left.top[0].token, 600);
    EXPECT_NEAR(LogProb(left.top[0].score, left.normaliser), 0.0, 1e-3);
  }
}

TEST_P(OutputMeanTest, RowsAreBitEqualInAnyCompany) {
  const int vocabulary = 2003;
  const int most = 150;
  const Members members(type(), {48, 16, 32}, vocabulary, 1);
  const auto hidden = members.Hidden(most, 5);
  const auto questions = RandomQuestions(most, vocabulary, 4);
  for (const MeanKind kind : kMeanKinds) {
    OutputMean mean(members.Outputs({0.2F, 0.3F, 0.5F}), kind);
    OpContext one;
    std::vector<Answer> alone;
    for (int r = 0; r < most; ++r) {
      alone.push_back(FoldAll(mean, members, one, hidden, r, {questions[r]})[0]);
    }
    for (const int threads : kThreadCounts) {
      OpContext context(threads, 1);
      for (int rows = 1; rows <= most; rows += rows < 4 ? 1 : 48) {
        const int first = most - rows;
        const auto answers = FoldAll(mean, members, context, hidden, first,
                                     {questions.begin() + first, questions.end()});
        for (int r = 0; r < rows; ++r) {
          ASSERT_TRUE(answers[r] == alone[first + r]) << rows << " " << r << " " << threads;
        }
      }
    }
  }
}

TEST_P(OutputMeanTest, ReportsNanAndInfinityOfARowAlone) {
  const Members members(type(), {20, 12}, 700, 1);
  auto hidden = members.Hidden(5, 3);
  hidden[0][2 * 20 + 7] = NAN;
  hidden[1][4 * 12 + 1] = std::numeric_limits<float>::infinity();
  for (const MeanKind kind : kMeanKinds) {
    OutputMean mean(members.Outputs({0.5F, 0.5F}), kind);
    for (const int threads : kThreadCounts) {
      OpContext context(threads, 1);
      const auto answers =
          FoldAll(mean, members, context, hidden, 0, std::vector<Question>(5, {4, true}));
      for (int r = 0; r < 5; ++r) EXPECT_EQ(answers[r].nan, r == 2 || r == 4) << r;
    }
  }
}

// ScratchFloats must be enough: no fold may make the context grow.
TEST_P(OutputMeanTest, FoldsWithinTheScratchThatItAskedFor) {
  const Members members(type(), {40, 24}, 1500, 1);
  const auto hidden = members.Hidden(200, 3);
  const auto questions = RandomQuestions(200, 1500, 4);
  for (const MeanKind kind : kMeanKinds) {
    OutputMean mean(members.Outputs({0.5F, 0.5F}), kind);
    OpContext context;
    context.Reserve(mean.ScratchFloats(200));
    const int64_t bytes = context.bytes();
    for (const int rows : {1, 7, 128, 200}) {
      FoldAll(mean, members, context, hidden, 0, {questions.begin(), questions.begin() + rows});
      EXPECT_EQ(context.bytes(), bytes) << rows;
    }
  }
}

DRAGOMAN_FOR_EVERY_ISA_AND_TYPE(OutputMeanTest);

}  // namespace
}  // namespace dragoman::kernels
