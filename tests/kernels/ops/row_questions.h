// The tests' questions to the rows of an output layer, and reference answers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "kernels/search/row.h"

namespace dragoman::kernels {

struct Question {
  int k = 4;
  bool normaliser = true;
  bool mask_first = false;
  float scale = 1.0F;
  std::vector<int32_t> wanted, excluded, masked[kMaskLists];
  bool store = false;
};

inline IdList ListOf(const std::vector<int32_t>& ids) {
  return {ids.data(), static_cast<int32_t>(ids.size())};
}

struct Answer {
  LogSum normaliser;
  bool nan = false;
  std::vector<TokenScore> top;
  std::vector<float> wanted;
  std::vector<float> materialized;
  bool operator==(const Answer& o) const {
    const auto bits = [](const void* a, const void* b, size_t n) {
      return n == 0 || std::memcmp(a, b, n) == 0;
    };
    return nan == o.nan && bits(&normaliser, &o.normaliser, sizeof(LogSum)) &&
           top.size() == o.top.size() && wanted.size() == o.wanted.size() &&
           materialized.size() == o.materialized.size() &&
           bits(materialized.data(), o.materialized.data(), materialized.size() * sizeof(float)) &&
           bits(top.data(), o.top.data(), top.size() * sizeof(TokenScore)) &&
           bits(wanted.data(), o.wanted.data(), wanted.size() * sizeof(float));
  }
};

// Returns a question's request and sets up a summary in `answer`. `q` and `answer` must not move.
inline LogitRequest Ask(const Question& q, Answer& answer, int vocabulary, LogitSummary& summary) {
  if (q.store) answer.materialized.resize(vocabulary);
  answer.top.resize(q.k);
  answer.wanted.resize(q.wanted.size(), 55.0F);
  summary.top = answer.top.data();
  summary.wanted = answer.wanted.data();
  summary.count = 99;
  summary.nan = true;
  return {.k = q.k,
          .need_normaliser = q.normaliser,
          .mask_first = q.mask_first,
          .scale = q.scale,
          .wanted = ListOf(q.wanted),
          .excluded = ListOf(q.excluded),
          .masked = {ListOf(q.masked[0]), ListOf(q.masked[1])},
          .logits = q.store ? answer.materialized.data() : nullptr};
}

inline void Take(const LogitSummary& summary, Answer& answer) {
  answer.normaliser = summary.normaliser;
  answer.nan = summary.nan;
  answer.top.resize(summary.count);
}

inline std::vector<int32_t> RandomIds(int count, int vocabulary, std::mt19937& random) {
  std::vector<int32_t> ids(count);
  for (int32_t& id : ids) id = static_cast<int32_t>(random() % vocabulary);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

inline bool Has(const std::vector<int32_t>& ids, int id) {
  return std::binary_search(ids.begin(), ids.end(), id);
}

inline bool Masked(const Question& q, int id) {
  return Has(q.masked[0], id) || Has(q.masked[1], id);
}

// Reports whether a token is -inf before the softmax.
inline bool Struck(const Question& q, int id) {
  return Has(q.excluded, id) || (q.mask_first && Masked(q, id));
}

inline bool MayBeAmongTheBest(const Question& q, int id) {
  return !Masked(q, id) && !Has(q.excluded, id) && !Has(q.wanted, id);
}

inline std::vector<Question> RandomQuestions(int rows, int vocabulary, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Question> questions(rows);
  for (Question& q : questions) {
    q.k = static_cast<int>(random() % 3 == 0 ? random() % 65 : random() % 6);
    q.normaliser = random() % 4 != 0;
    q.wanted = RandomIds(static_cast<int>(random() % 10), vocabulary, random);
    for (auto& list : q.masked) {
      list = RandomIds(static_cast<int>(random() % 20), vocabulary, random);
    }
    q.excluded = RandomIds(static_cast<int>(random() % 5), vocabulary, random);
    q.mask_first = random() % 2 == 0;
    q.scale = random() % 3 == 0 ? 0.8F : 1.0F;
    q.store = random() % 4 == 0;
  }
  return questions;
}

// Returns the answer to a question about these logits, by a sort and a sum in double. Sets
// `log_sum` to the log of the sum of exp; -inf if no token is left.
inline Answer PlainAnswer(const Question& q, const std::vector<float>& logits, double* log_sum) {
  Answer answer;
  std::vector<float> x(logits);
  for (size_t c = 0; c < x.size(); ++c) {
    x[c] = Struck(q, static_cast<int>(c)) ? -INFINITY : x[c] * q.scale;
    answer.nan = answer.nan || !(x[c] < INFINITY);
  }
  for (const int32_t id : q.wanted) answer.wanted.push_back(x[id]);
  const float max = *std::max_element(x.begin(), x.end());
  double sum = 0.0;
  for (const float v : x) sum += max == -INFINITY ? 0.0 : std::exp(double(v) - max);
  *log_sum = max == -INFINITY ? -INFINITY : max + std::log(sum);
  std::vector<TokenScore> best;
  for (int32_t c = 0; c < static_cast<int32_t>(x.size()); ++c) {
    if (x[c] > -INFINITY && MayBeAmongTheBest(q, c)) best.push_back({x[c], c});
  }
  const auto k = std::min(best.size(), static_cast<size_t>(q.k));
  std::partial_sort(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(k), best.end(),
                    Better);
  best.resize(k);
  answer.top = best;
  if (q.store) answer.materialized = logits;
  return answer;
}

// Compares tokens, scores and requested logits exactly, and the normaliser within 1e-5.
inline void ExpectAnswer(const Answer& found, const Question& q, const std::vector<float>& logits) {
  double log_sum = 0;
  const Answer expected = PlainAnswer(q, logits, &log_sum);
  EXPECT_EQ(found.nan, expected.nan);
  if (expected.nan) return;
  ASSERT_EQ(found.top.size(), expected.top.size());
  for (size_t i = 0; i < found.top.size(); ++i) {
    EXPECT_EQ(found.top[i].token, expected.top[i].token) << i;
    EXPECT_EQ(found.top[i].score, expected.top[i].score) << i;
  }
  EXPECT_EQ(found.wanted, expected.wanted);
  EXPECT_EQ(found.materialized, expected.materialized);
  if (!q.normaliser || log_sum == -INFINITY) {
    EXPECT_EQ(found.normaliser.max, -INFINITY);
    EXPECT_EQ(found.normaliser.sum, 0.0F);
  } else {
    EXPECT_NEAR(LogSumValue(found.normaliser), log_sum, 1e-5 * std::max(1.0, std::abs(log_sum)));
  }
}

}  // namespace dragoman::kernels
