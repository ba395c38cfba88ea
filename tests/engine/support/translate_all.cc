#include "tests/engine/support/translate_all.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <tuple>

#include "tests/engine/support/collecting_sink.h"

namespace dragoman::testing {
namespace {

std::shared_ptr<CollectingSink> Submit(engine::Engine& engine, const engine::TranslationJob& job) {
  auto sink = std::make_shared<CollectingSink>();
  const engine::Admission admission = engine.Translate(job, sink);
  EXPECT_TRUE(admission.status.ok()) << admission.status;
  return admission.status.ok() ? sink : nullptr;
}

engine::ItemResult ResultOf(CollectingSink* sink) {
  if (sink == nullptr) return {};
  const absl::Status status = sink->Wait();
  EXPECT_TRUE(status.ok()) << status;
  if (sink->items().size() != 1) {
    ADD_FAILURE() << sink->items().size() << " items";
    return {};
  }
  return sink->items().front();
}

std::tuple<int64_t, int64_t, int64_t, int64_t> Numbers(const engine::AlignmentLink& link) {
  return {link.source.begin, link.source.end, link.target.begin, link.target.end};
}

}  // namespace

std::vector<engine::ItemResult> TranslateAlone(engine::Engine& engine,
                                               const std::vector<engine::TranslationJob>& jobs) {
  std::vector<engine::ItemResult> results;
  results.reserve(jobs.size());
  for (const engine::TranslationJob& job : jobs)
    results.push_back(ResultOf(Submit(engine, job).get()));
  return results;
}

std::vector<engine::ItemResult> TranslateTogether(engine::Engine& engine,
                                                  const std::vector<engine::TranslationJob>& jobs,
                                                  const std::vector<size_t>& order) {
  std::vector<std::shared_ptr<CollectingSink>> sinks(jobs.size());
  for (const size_t i : order) sinks[i] = Submit(engine, jobs[i]);
  std::vector<engine::ItemResult> results;
  results.reserve(jobs.size());
  for (const auto& sink : sinks) results.push_back(ResultOf(sink.get()));
  return results;
}

std::vector<size_t> InOrder(size_t count) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  return order;
}

std::vector<size_t> Shuffled(size_t count, unsigned seed) {
  std::vector<size_t> order = InOrder(count);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  return order;
}

bool SameToTheBit(const engine::ItemResult& a, const engine::ItemResult& b) {
  const auto same_hypothesis = [](const engine::Hypothesis& x, const engine::Hypothesis& y) {
    return x.text == y.text && x.score == y.score && x.log_prob == y.log_prob &&
           x.finish_reason == y.finish_reason && x.tokens == y.tokens &&
           x.token_scores == y.token_scores &&
           std::ranges::equal(x.alignment, y.alignment, {}, Numbers, Numbers);
  };
  return a.status == b.status && a.seed == b.seed && a.target_token_count == b.target_token_count &&
         std::ranges::equal(a.hypotheses, b.hypotheses, same_hypothesis);
}

void ExpectSameToTheBit(const std::vector<engine::TranslationJob>& jobs,
                        const std::vector<engine::ItemResult>& found,
                        const std::vector<engine::ItemResult>& expected) {
  ASSERT_EQ(found.size(), jobs.size());
  ASSERT_EQ(expected.size(), jobs.size());
  for (size_t i = 0; i < jobs.size(); ++i) {
    EXPECT_TRUE(SameToTheBit(found[i], expected[i])) << i << ": " << jobs[i].contents[0];
  }
}

void ExpectSameTranslations(const std::vector<engine::TranslationJob>& jobs,
                            const std::vector<engine::ItemResult>& found,
                            const std::vector<engine::ItemResult>& expected) {
  for (size_t i = 0; i < jobs.size(); ++i) {
    ASSERT_EQ(found[i].status, expected[i].status);
    ASSERT_EQ(found[i].hypotheses.size(), expected[i].hypotheses.size()) << jobs[i].contents[0];
    for (size_t h = 0; h < found[i].hypotheses.size(); ++h) {
      const engine::Hypothesis& a = found[i].hypotheses[h];
      const engine::Hypothesis& b = expected[i].hypotheses[h];
      EXPECT_EQ(a.text, b.text);
      EXPECT_EQ(a.tokens, b.tokens);
      EXPECT_EQ(a.finish_reason, b.finish_reason);
      EXPECT_NEAR(a.log_prob, b.log_prob, 1e-3);
    }
  }
}

std::vector<engine::ItemResult> ExpectTheSameInCompany(
    engine::Engine& engine, const std::vector<engine::TranslationJob>& jobs, unsigned seed) {
  std::vector<engine::ItemResult> alone = TranslateAlone(engine, jobs);
  ExpectSameToTheBit(jobs, TranslateTogether(engine, jobs, Shuffled(jobs.size(), seed)), alone);
  return alone;
}

size_t CountTexts(const std::vector<engine::ItemResult>& results) {
  size_t texts = 0;
  for (const engine::ItemResult& result : results) {
    EXPECT_TRUE(result.status.ok()) << result.status;
    if (!result.hypotheses.empty() && !result.hypotheses[0].text.empty()) ++texts;
  }
  return texts;
}

}  // namespace dragoman::testing
