// Tests of output layers over selected words. The answers must be those with all other words
// excluded.
#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "kernels/base/float_buffer.h"
#include "kernels/ops/output_layer.h"
#include "tests/kernels/ops/row_questions.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

// A selection with its memory.
struct Selected {
  Selected(const OutputLayer& layer, std::vector<int32_t> of)
      : words(std::move(of)), memory(cpu::AllocateFloats(layer.SelectedFloats(words.size()))) {
    layer.Select(ListOf(words), memory.get());
    selection = {ListOf(words), memory.get()};
  }

  std::vector<int32_t> words;
  cpu::FloatBuffer memory;
  OutputLayer::Selection selection;
};

std::vector<std::unique_ptr<Selected>> RandomSelections(const OutputLayer& layer, int count,
                                                        uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::unique_ptr<Selected>> selections;
  for (int i = 0; i < count; ++i) {
    const int words = 1 + static_cast<int>(random() % static_cast<uint32_t>(layer.vocabulary()));
    selections.push_back(
        std::make_unique<Selected>(layer, RandomIds(words, layer.vocabulary(), random)));
  }
  return selections;
}

// Folds the rows. Row r has the words of selection of[r], or all words if `of` is empty.
std::vector<Answer> Fold(const OutputLayer& layer, OpContext& context, const float* hidden,
                         const std::vector<Question>& questions,
                         const std::vector<const OutputLayer::Selection*>& of) {
  std::vector<LogitRequest> requests;
  std::vector<LogitSummary> summaries(questions.size());
  std::vector<Answer> answers(questions.size());
  for (size_t r = 0; r < questions.size(); ++r) {
    requests.push_back(Ask(questions[r], answers[r], layer.vocabulary(), summaries[r]));
  }
  const auto rows = static_cast<int64_t>(questions.size());
  if (of.empty()) {
    layer.Fold(context, hidden, rows, requests.data(), summaries.data());
  } else {
    layer.FoldSelected(context, hidden, rows, of.data(), requests.data(), summaries.data());
  }
  for (size_t r = 0; r < questions.size(); ++r) Take(summaries[r], answers[r]);
  return answers;
}

// Returns the question with all other words excluded.
Question Excluding(Question q, const std::vector<int32_t>& words, int vocabulary) {
  for (int32_t word = 0; word < vocabulary; ++word) {
    if (!Has(words, word)) q.excluded.push_back(word);
  }
  std::sort(q.excluded.begin(), q.excluded.end());
  q.excluded.erase(std::unique(q.excluded.begin(), q.excluded.end()), q.excluded.end());
  return q;
}

using OutputSelectionTest = PerIsaAndType;

TEST_P(OutputSelectionTest, IsAsIfAllOtherWordsWereExcluded) {
  for (const auto& [d, vocabulary] :
       {std::pair{8, 1}, {16, 3}, {33, 95}, {40, 481}, {24, 961}, {64, 2003}}) {
    const auto w = RandomFloats(size_t(d) * vocabulary, 1, 0.5F);
    auto bias = RandomFloats(vocabulary, 2);
    bias.back() = -INFINITY;
    const auto layer = OutputLayer::Create(w.data(), bias.data(), d, vocabulary, type());
    const int rows = 60;
    const auto hidden = RandomFloats(size_t(rows) * d, 3);
    const auto selections = RandomSelections(*layer, 15, 5);
    auto questions = RandomQuestions(rows, vocabulary, 4);
    std::vector<const OutputLayer::Selection*> of;
    std::vector<Question> excluding;
    for (int r = 0; r < rows; ++r) {
      const Selected& selected = *selections[r / 4];
      of.push_back(&selected.selection);
      excluding.push_back(Excluding(questions[r], selected.words, vocabulary));
    }
    OpContext context;
    const auto found = Fold(*layer, context, hidden.data(), questions, of);
    const auto expected = Fold(*layer, context, hidden.data(), excluding, {});
    for (int r = 0; r < rows; ++r) {
      SCOPED_TRACE(::testing::Message() << d << " " << vocabulary << " row " << r);
      EXPECT_EQ(found[r].nan, expected[r].nan);
      ASSERT_EQ(found[r].top.size(), expected[r].top.size());
      for (size_t i = 0; i < found[r].top.size(); ++i) {
        EXPECT_EQ(found[r].top[i].token, expected[r].top[i].token);
        EXPECT_EQ(found[r].top[i].score, expected[r].top[i].score);
      }
      EXPECT_EQ(found[r].wanted, expected[r].wanted);
      // The order of the sum differs, and the exp within products has a relative error of up to
      // 3e-5.
      const float log_sum = LogSumValue(expected[r].normaliser);
      if (log_sum == -INFINITY) {
        EXPECT_EQ(LogSumValue(found[r].normaliser), -INFINITY);
      } else {
        EXPECT_NEAR(LogSumValue(found[r].normaliser), log_sum, 6e-5);
      }
      for (int32_t word = 0; questions[r].store && word < vocabulary; ++word) {
        const bool is_in = Has(selections[r / 4]->words, word);
        EXPECT_EQ(found[r].materialized[word], is_in ? expected[r].materialized[word] : -INFINITY);
      }
    }
  }
}

TEST_P(OutputSelectionTest, RowsAreBitEqualInAnyCompany) {
  const int d = 48;
  const int vocabulary = 2003;
  const int most = 300;
  const auto w = RandomFloats(size_t(d) * vocabulary, 1);
  const auto bias = RandomFloats(vocabulary, 2);
  const auto hidden = RandomFloats(size_t(most) * d, 3);
  const auto layer = OutputLayer::Create(w.data(), bias.data(), d, vocabulary, type());
  const auto questions = RandomQuestions(most, vocabulary, 4);
  const auto selections = RandomSelections(*layer, 40, 7);
  std::mt19937 random(9);
  std::vector<const OutputLayer::Selection*> of;
  while (of.size() < most)
    of.insert(of.end(), 1 + random() % 9, &selections[random() % 40]->selection);
  of.resize(most);
  OpContext one;
  std::vector<Answer> alone(most);
  for (int r = 0; r < most; ++r) {
    alone[r] = Fold(*layer, one, hidden.data() + size_t(r) * d, {questions[r]}, {of[r]})[0];
  }
  for (const int threads : kThreadCounts) {
    OpContext context(threads, 1);
    for (int rows = 1; rows <= most; rows += rows < 10 ? 1 : 29) {
      const int first = most - rows;
      const auto answers =
          Fold(*layer, context, hidden.data() + size_t(first) * d,
               {questions.begin() + first, questions.end()}, {of.begin() + first, of.end()});
      for (int r = 0; r < rows; ++r) {
        ASSERT_TRUE(answers[r] == alone[first + r]) << rows << " " << r << " " << threads;
      }
    }
  }
}

DRAGOMAN_FOR_EVERY_ISA_AND_TYPE(OutputSelectionTest);

}  // namespace
}  // namespace dragoman::kernels
