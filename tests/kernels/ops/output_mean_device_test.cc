// Tests the mean of an ensemble's materialized logits, on a device and emulated, against its
// definition in double.
#include <numeric>
#include <string>
#include <tuple>

#include "kernels/ops/output_mean_cuda.h"
#include "tests/kernels/ops/emulated_ops.h"
#include "tests/kernels/ops/mean_reference.h"
#include "tests/kernels/ops/op_device.h"
#include "tests/kernels/ops/output_problem.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

struct Member {
  std::vector<float> logits;  // [rows, vocabulary], without the bias
  std::vector<float> bias;    // [vocabulary], or empty
};

struct Ensemble {
  int vocabulary = 0;
  std::vector<float> weights;
  std::vector<Member> members;
  std::vector<Question> questions;

  int rows() const { return static_cast<int>(questions.size()); }

  std::vector<std::vector<double>> Logits(int row) const {
    std::vector<std::vector<double>> all;
    for (const Member& m : members) {
      std::vector<double> x(vocabulary);
      for (int c = 0; c < vocabulary; ++c) {
        x[c] = double{m.logits[size_t(row) * vocabulary + c]} + (m.bias.empty() ? 0 : m.bias[c]);
      }
      all.push_back(std::move(x));
    }
    return all;
  }

  Ensemble Rows(const std::vector<int>& which) const {
    Ensemble part{vocabulary, weights, members, {}};
    for (Member& m : part.members) m.logits.clear();
    for (const int r : which) {
      part.questions.push_back(questions[r]);
      for (size_t m = 0; m < members.size(); ++m) {
        const auto from = members[m].logits.begin() + int64_t{r} * vocabulary;
        part.members[m].logits.insert(part.members[m].logits.end(), from, from + vocabulary);
      }
    }
    return part;
  }
};

Ensemble MakeEnsemble(std::vector<float> weights, int vocabulary, int rows, uint32_t seed) {
  Ensemble e{vocabulary, std::move(weights), {}, RandomQuestions(rows, vocabulary, seed)};
  for (size_t m = 0; m < e.weights.size(); ++m) {
    const auto s = static_cast<uint32_t>(seed + 10 * m);
    Member member{RandomFloats(size_t(rows) * vocabulary, s, 4.0F), {}};
    // Marian's ensembles have members without biases and tokens that can never be chosen.
    if (m != 1) member.bias = RandomFloats(vocabulary, s + 1, 2.0F);
    if (m == 0 && vocabulary > 8) member.bias[7] = -INFINITY;
    e.members.push_back(std::move(member));
  }
  return e;
}

// The launch is for three rows more than there are.
std::vector<Answer> Fold(const OpDevice& device, const Ensemble& e, MeanKind kind) {
  std::vector<std::unique_ptr<OpArray<float>>> logits;
  std::vector<std::unique_ptr<OpArray<float>>> biases;
  cuda::EnsembleLogits ensemble;
  ensemble.mean = kind;
  for (size_t m = 0; m < e.members.size(); ++m) {
    logits.push_back(std::make_unique<OpArray<float>>(device, e.members[m].logits));
    biases.push_back(std::make_unique<OpArray<float>>(device, e.members[m].bias));
    ensemble.members[ensemble.count++] = {
        logits[m]->data(), e.members[m].bias.empty() ? nullptr : biases[m]->data(), e.weights[m]};
  }
  const Questionnaire asked(device, e.questions, logits[0]->data());
  std::vector<int32_t> list(size_t(e.rows()) + 3, -1);
  std::iota(list.begin(), list.end() - 3, 0);
  const OpArray<int32_t> rows(device, list);
  const OpArray<int32_t> count(device, {e.rows()});
  const cuda::MaterializedRows materialized{rows.data(), count.data(),
                                            static_cast<int64_t>(list.size())};
  EXPECT_LAUNCHED(DRAGOMAN_LAUNCHER(device, FoldMeanLogits)(
      kTestStream, ensemble, e.vocabulary, e.vocabulary, materialized, 0,
      static_cast<int64_t>(list.size()), asked.requests(), asked.summaries()));
  return asked.Answers(logits[0]->Download(), e.vocabulary);
}

using OutputMeanDeviceTest = OnOpDevice;

TEST_P(OutputMeanDeviceTest, AgreesWithSortAndDouble) {
  for (const auto& [weights, vocabulary] : std::vector<std::tuple<std::vector<float>, int>>{
           {{1.0F}, 97},
           {{0.5F, 0.5F}, 3},
           {{0.5F, 0.3F, 0.2F}, 4'999},
           {std::vector<float>(kMaxEnsembleMembers, 0.125F), 513}}) {
    const Ensemble e = MakeEnsemble(weights, vocabulary, 30, 4);
    for (const MeanKind kind : kMeanKinds) {
      SCOPED_TRACE(std::to_string(vocabulary) + " words, " +
                   (kind == MeanKind::kProbability ? "probabilities" : "log-probabilities"));
      const std::vector<Answer> answers = Fold(GetParam(), e, kind);
      for (int r = 0; r < e.rows(); ++r) {
        SCOPED_TRACE(r);
        ExpectMeanAnswer(answers[r], e.questions[r],
                         MeanOf(kind, e.Logits(r), weights, e.questions[r]));
      }
    }
  }
}

// The probabilities are far below the smallest float.
TEST_P(OutputMeanDeviceTest, ScoresDoNotUnderflow) {
  Ensemble e{700, {0.25F, 0.75F}, {}, {{.k = 2, .wanted = {600}}}};
  e.questions.push_back({.k = 1, .mask_first = true, .masked = {{5}, {}}});
  for (const float second : {100.0F, 200.0F}) {
    Member member{std::vector<float>(size_t{2} * 700), std::vector<float>(700)};
    member.bias[5] = 500.0F;
    member.bias[600] = second;
    e.members.push_back(std::move(member));
  }
  for (const MeanKind kind : kMeanKinds) {
    const std::vector<Answer> answers = Fold(GetParam(), e, kind);
    EXPECT_EQ(answers[0].top[0].token, 5);
    EXPECT_NEAR(answers[0].top[0].score, 0.0, 1e-4);
    EXPECT_EQ(answers[0].top[1].token, 0);
    EXPECT_NEAR(answers[0].top[1].score, -500.0, 1e-3);
    const double expected = kind == MeanKind::kProbability ? -300 + std::log(0.75) : -325;
    EXPECT_NEAR(answers[0].wanted[0], expected, 1e-3);
    // With token 5 masked and the rest renormalised, token 600 is almost certain.
    EXPECT_EQ(answers[1].top[0].token, 600);
    EXPECT_NEAR(LogProb(answers[1].top[0].score, answers[1].normaliser), 0.0, 1e-3);
  }
}

TEST_P(OutputMeanDeviceTest, ARowIsBitEqualInAnyCompany) {
  const Ensemble e = MakeEnsemble({0.2F, 0.3F, 0.5F}, 2'003, 40, 9);
  for (const MeanKind kind : kMeanKinds) {
    const std::vector<Answer> all = Fold(GetParam(), e, kind);
    for (const std::vector<int>& company :
         {std::vector{0}, {39}, {17}, {39, 3}, {9, 8, 7, 6, 5, 39, 30, 31, 0}}) {
      const std::vector<Answer> answers = Fold(GetParam(), e.Rows(company), kind);
      for (size_t i = 0; i < company.size(); ++i) {
        EXPECT_TRUE(answers[i] == all[company[i]]) << "row " << company[i];
      }
    }
  }
}

// Either member has the bad number, in two rows. It flags its row, except where its token is
// excluded.
TEST_P(OutputMeanDeviceTest, BadNumbersFlagTheirRowAlone) {
  for (const float bad : {NAN, INFINITY}) {
    for (const size_t member : {0, 1}) {
      Ensemble e = MakeEnsemble({0.5F, 0.5F}, 700, 5, 12);
      for (Question& q : e.questions) q.excluded.clear();
      e.members[member].logits[2 * 700 + 333] = bad;
      e.members[member].logits[4 * 700 + 699] = bad;
      e.questions[4].excluded = {699};
      for (const MeanKind kind : kMeanKinds) {
        const std::vector<Answer> answers = Fold(GetParam(), e, kind);
        for (int r = 0; r < 5; ++r) EXPECT_EQ(answers[r].nan, r == 2) << r;
      }
    }
  }
}

// A member with no possible token adds nothing to a mean of probabilities, and makes every token
// impossible in a mean of log-probabilities.
TEST_P(OutputMeanDeviceTest, AMemberWithoutAToken) {
  Ensemble e = MakeEnsemble({0.25F, 0.75F}, 100, 1, 2);
  e.questions = {{.k = 3}};
  std::fill(e.members[1].logits.begin(), e.members[1].logits.end(), -INFINITY);
  const Answer mean = Fold(GetParam(), e, MeanKind::kProbability)[0];
  ASSERT_EQ(mean.top.size(), 3U);
  EXPECT_FALSE(mean.nan);
  const std::vector<double> expected =
      MeanOf(MeanKind::kProbability, {e.Logits(0)[0]}, {0.25F}, e.questions[0]);
  for (const TokenScore& best : mean.top) EXPECT_NEAR(best.score, expected[best.token], 3e-5);
  const Answer none = Fold(GetParam(), e, MeanKind::kLogProbability)[0];
  EXPECT_FALSE(none.nan);
  EXPECT_TRUE(none.top.empty());
}

DRAGOMAN_FOR_LAUNCH_DEVICES(OutputMeanDeviceTest, LaunchDevices());

}  // namespace
}  // namespace dragoman::kernels
