// A small output layer with a request for each row (best tokens, wanted logits). Tests use it in the
// memory of the host or of a device.
//
// All numbers are small integers and all biases are multiples of 1/4, so every product is exact in
// any order and type. Ties are frequent.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/ops/output_layer_cuda.h"
#include "tests/kernels/ops/op_device.h"
#include "tests/kernels/ops/row_questions.h"

namespace dragoman::kernels {

inline constexpr int kMaxWanted = 12;
inline constexpr int kEntries = kMaxTopK + 1;  // one more entry, which must stay unchanged

struct Problem {
  int d = 0;
  int vocabulary = 0;
  std::vector<float> w, bias, hidden;
  std::vector<Question> questions;

  int rows() const { return static_cast<int>(questions.size()); }
  // Returns the row's logits without the bias.
  std::vector<float> Products(int row) const {
    std::vector<float> y(vocabulary);
    for (int c = 0; c < vocabulary; ++c) {
      for (int i = 0; i < d; ++i) y[c] += hidden[size_t(row) * d + i] * w[size_t(c) * d + i];
    }
    return y;
  }
  std::vector<float> Logits(int row) const {
    std::vector<float> x = Products(row);
    for (int c = 0; c < vocabulary; ++c) x[c] += bias[c];
    return x;
  }
  // Returns the problem of the rows `which`.
  Problem Rows(const std::vector<int>& which) const {
    Problem part = *this;
    part.hidden.clear();
    part.questions.clear();
    for (const int r : which) {
      part.hidden.insert(part.hidden.end(), hidden.begin() + int64_t{r} * d,
                         hidden.begin() + int64_t{r + 1} * d);
      part.questions.push_back(questions[r]);
    }
    return part;
  }
};

inline std::vector<float> SmallIntegers(size_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> x(n);
  for (float& v : x) v = float(int(random() % 7) - 3);
  return x;
}

inline Problem MakeProblem(int d, int vocabulary, int rows, uint32_t seed) {
  Problem p{d,
            vocabulary,
            SmallIntegers(size_t(vocabulary) * d, seed),
            {},
            SmallIntegers(size_t(rows) * d, seed + 1),
            RandomQuestions(rows, vocabulary, seed + 2)};
  for (float& v : p.hidden) v = float(int(v) % 2);  // keeps logits in the tens, not hundreds
  std::mt19937 random(seed + 3);
  for (int c = 0; c < vocabulary; ++c) {
    p.bias.push_back(random() % 50 == 0 ? -INFINITY : float(int(random() % 9) - 4) / 4);
  }
  return p;
}

// Removes everything that the fused layer does not support.
inline void MakeFusable(Problem& p) {
  for (Question& q : p.questions) {
    q.k = std::min(q.k, cuda::kMaxFusedTopK);
    q.store = false;
  }
}

// Requests and summaries in a device's memory.
class Questionnaire {
 public:
  Questionnaire(const OpDevice& device, const std::vector<Question>& questions, float* logits)
      : questions_(questions),
        ids_(device, AllIds(questions)),
        top_(device, std::vector<TokenScore>(questions.size() * kEntries, {77.0F, 77})),
        wanted_(device, std::vector<float>(questions.size() * kMaxWanted, 55.0F)),
        requests_(device, Requests(logits)),
        summaries_(device, Summaries()) {}

  LogitRequest* requests() const { return requests_.data(); }
  LogitSummary* summaries() const { return summaries_.data(); }

  // A summary that was not written has count 99. `logits` are the current logits of materialized
  // rows.
  std::vector<Answer> Answers(const std::vector<float>& logits, int vocabulary) const {
    const auto requests = requests_.Download();
    const auto summaries = summaries_.Download();
    const auto top = top_.Download();
    const auto wanted = wanted_.Download();
    std::vector<Answer> answers(questions_.size());
    for (size_t r = 0; r < answers.size(); ++r) {
      Answer& a = answers[r];
      a.normaliser = summaries[r].normaliser;
      a.nan = summaries[r].nan;
      const auto entries = top.begin() + static_cast<int64_t>(r * kEntries);
      a.top.assign(entries, entries + std::min(summaries[r].count, kMaxTopK));
      EXPECT_EQ((entries + questions_[r].k)->token, 77) << "beyond the k entries of row " << r;
      const auto values = wanted.begin() + static_cast<int64_t>(r * kMaxWanted);
      a.wanted.assign(values, values + static_cast<int64_t>(questions_[r].wanted.size()));
      if (!questions_[r].store) continue;
      EXPECT_EQ(requests[r].logits, base_ + r * size_t(vocabulary));
      a.materialized.assign(logits.begin() + static_cast<int64_t>(r) * vocabulary,
                            logits.begin() + static_cast<int64_t>(r + 1) * vocabulary);
    }
    return answers;
  }

 private:
  static std::vector<int32_t> AllIds(const std::vector<Question>& questions) {
    std::vector<int32_t> ids;
    for (const Question& q : questions) {
      for (const auto* list : {&q.wanted, &q.excluded, &q.masked[0], &q.masked[1]}) {
        ids.insert(ids.end(), list->begin(), list->end());
      }
    }
    return ids;
  }
  std::vector<LogitRequest> Requests(float* logits) {
    base_ = logits;
    const int32_t* at = ids_.data();
    const auto take = [&](const std::vector<int32_t>& ids) {
      const IdList list{at, static_cast<int32_t>(ids.size())};
      at += ids.size();
      return list;
    };
    std::vector<LogitRequest> requests;
    for (const Question& q : questions_) {
      LogitRequest request{.k = q.k,
                           .need_normaliser = q.normaliser,
                           .mask_first = q.mask_first,
                           .scale = q.scale,
                           .logits = q.store ? logits : nullptr};
      request.wanted = take(q.wanted);
      request.excluded = take(q.excluded);
      for (int i = 0; i < kMaskLists; ++i) request.masked[i] = take(q.masked[i]);
      requests.push_back(request);
    }
    return requests;
  }
  std::vector<LogitSummary> Summaries() const {
    std::vector<LogitSummary> summaries(questions_.size());
    for (size_t r = 0; r < summaries.size(); ++r) {
      summaries[r] = {.count = 99,
                      .top = top_.data() + r * kEntries,
                      .wanted = wanted_.data() + r * kMaxWanted};
    }
    return summaries;
  }

  const std::vector<Question> questions_;
  float* base_ = nullptr;
  const OpArray<int32_t> ids_;
  const OpArray<TokenScore> top_;
  const OpArray<float> wanted_;
  const OpArray<LogitRequest> requests_;
  const OpArray<LogitSummary> summaries_;
};

}  // namespace dragoman::kernels
