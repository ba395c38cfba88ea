#include "server/models/pivot_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace dragoman::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

engine::TranslationJob EveryOption() {
  engine::TranslationJob job;
  job.contents = {"eins", "zwei", "drei"};
  job.source_language = "de";
  job.target_language = "fr";
  job.decoding.beam_size = 7;
  job.decoding.num_alternatives = 3;
  job.decoding.max_output_tokens = 50;
  job.decoding.min_output_tokens = 2;
  job.decoding.max_length_ratio = 2.5F;
  job.decoding.required_phrases = {{"bonjour", false}};
  job.decoding.forbidden_phrases = {"merci"};
  job.target_prefixes = {"", "b", "c"};
  job.do_not_translate = {"zwei"};
  job.returns = {true, true, true, false, true, true};
  job.priority = engine::Priority::kBulk;
  job.client = "c";
  job.deadline = 77;
  job.format = engine::TextFormat::kHtml;
  return job;
}

engine::ItemResult First(int index, std::string text) {
  engine::ItemResult result;
  result.index = index;
  result.hypotheses.resize(1);
  result.hypotheses[0].text = std::move(text);
  return result;
}

TEST(PivotParts, WhatIsAboutTheTranslationsTextIsForTheSecondLeg) {
  const engine::TranslationJob job = EveryOption();
  const engine::TranslationJob first = FirstLeg(job, "en");
  EXPECT_EQ(first.source_language, "de");
  EXPECT_EQ(first.target_language, "en");
  EXPECT_EQ(first.decoding.beam_size, 7);
  EXPECT_EQ(first.decoding.max_length_ratio, 2.5F);
  EXPECT_EQ(first.decoding.num_alternatives, 1);
  EXPECT_FALSE(first.decoding.max_output_tokens.has_value());
  EXPECT_FALSE(first.decoding.min_output_tokens.has_value());
  EXPECT_THAT(first.decoding.required_phrases, IsEmpty());
  EXPECT_THAT(first.decoding.forbidden_phrases, IsEmpty());
  EXPECT_THAT(first.target_prefixes, IsEmpty());
  EXPECT_THAT(first.do_not_translate, ElementsAre("zwei"));
  EXPECT_TRUE(first.returns.scores);
  EXPECT_TRUE(first.returns.tokens);
  EXPECT_FALSE(first.returns.token_scores);
  EXPECT_FALSE(first.returns.partials);
  EXPECT_FALSE(first.returns.segments);
  EXPECT_EQ(first.format, engine::TextFormat::kHtml);
  EXPECT_EQ(first.priority, engine::Priority::kBulk);
  EXPECT_EQ(first.client, "c");
  EXPECT_EQ(first.deadline, 77);

  const std::vector<engine::ItemResult> firsts = {First(0, "one"), First(1, "two"),
                                                  First(2, "three")};
  engine::TranslationJob rest = job;
  const std::vector<std::string> prefixes = std::exchange(rest.target_prefixes, {});
  rest.contents.clear();
  const engine::TranslationJob second = SecondLeg(rest, prefixes, "en", {2, 0}, firsts);
  EXPECT_EQ(second.source_language, "en");
  EXPECT_EQ(second.target_language, "fr");
  EXPECT_THAT(second.contents, ElementsAre("three", "one"));
  EXPECT_THAT(second.target_prefixes, ElementsAre("c", ""));
  EXPECT_EQ(second.decoding.num_alternatives, 3);
  EXPECT_EQ(second.decoding.max_output_tokens, 50);
  EXPECT_EQ(second.decoding.required_phrases.size(), 1U);
  EXPECT_THAT(second.decoding.forbidden_phrases, ElementsAre("merci"));
  EXPECT_THAT(second.do_not_translate, ElementsAre("zwei"));
  EXPECT_TRUE(second.returns.partials);
  EXPECT_TRUE(second.returns.segments);
}

// Gives an option a value, no matter what type it has.
template <typename T>
void Give(std::optional<T>* member) {
  member->emplace();
}
template <typename T>
void Give(std::vector<T>* list) {
  list->resize(1);
}

TEST(PivotParts, EachOptionReachesTheLegsThatItsRowNames) {
  engine::TranslationJob job;
  engine::VisitOptions(job.decoding, [](const DecodingOption&, auto& member) { Give(&member); });
  const engine::TranslationJob first = FirstLeg(job, "en");
  const engine::TranslationJob second = SecondLeg(job, {}, "en", {0}, {First(0, "one")});
  int options = 0;
  engine::VisitOptions(job.decoding, [&](const DecodingOption& option, const auto& member) {
    ++options;
    EXPECT_TRUE(engine::IsGiven(member)) << option.name;
  });
  EXPECT_EQ(options, std::size(kDecodingOptions));
  engine::VisitOptions(first.decoding, [](const DecodingOption& option, const auto& member) {
    if (option.name == "num_alternatives") return;  // always 1 in the first leg
    EXPECT_EQ(engine::IsGiven(member), option.legs == DecodingOption::Legs::kBoth) << option.name;
  });
  EXPECT_EQ(first.decoding.num_alternatives, 1);
  engine::VisitOptions(second.decoding, [](const DecodingOption& option, const auto& member) {
    if (option.name == "sampling.seed") return;  // the seed of the first leg
    EXPECT_TRUE(engine::IsGiven(member)) << option.name;
  });
}

TEST(PivotParts, BothLegsDrawWithOneSeed) {
  engine::TranslationJob job = EveryOption();
  job.decoding.sampling.emplace();
  std::vector<engine::ItemResult> firsts = {First(0, "one")};
  firsts[0].seed = 99;
  EXPECT_EQ(SecondLeg(job, {}, "en", {0}, firsts).decoding.sampling->seed, 99U);
}

// Sentences as (source begin, source end, target begin, target end).
using Range = std::tuple<int64_t, int64_t, int64_t, int64_t>;

std::vector<engine::SentenceRange> Ranges(const std::vector<Range>& ranges) {
  std::vector<engine::SentenceRange> out;
  for (const auto& [a, b, c, d] : ranges) out.push_back({{a, b}, {c, d}});
  return out;
}

std::vector<Range> Composed(const std::vector<Range>& first, const std::vector<Range>& second) {
  engine::ItemResult one = First(3, "x");
  one.sentences = Ranges(first);
  engine::ItemResult two = First(0, "y");
  two.sentences = Ranges(second);
  std::vector<Range> out;
  for (const engine::SentenceRange& s : Compose(one, std::move(two), {}).sentences) {
    out.emplace_back(s.source.begin, s.source.end, s.target.begin, s.target.end);
  }
  return out;
}

TEST(PivotParts, SentencesThatAgreeStayApart) {
  EXPECT_THAT(Composed({{0, 10, 0, 8}, {11, 20, 9, 15}}, {{0, 8, 0, 7}, {9, 15, 8, 20}}),
              ElementsAre(Range(0, 10, 0, 7), Range(11, 20, 8, 20)));
}

TEST(PivotParts, SentencesThatOneLegJoinsOrSplitsAreOnePart) {
  EXPECT_THAT(Composed({{0, 10, 0, 8}}, {{0, 4, 0, 5}, {5, 8, 6, 9}}),
              ElementsAre(Range(0, 10, 0, 9)));
  EXPECT_THAT(Composed({{0, 10, 0, 4}, {11, 20, 5, 8}}, {{0, 8, 0, 9}}),
              ElementsAre(Range(0, 20, 0, 9)));
  // A sentence crosses a boundary on each side: a chain of three sentences becomes one, and the
  // fourth stays separate.
  EXPECT_THAT(Composed({{0, 10, 0, 6}, {11, 20, 7, 12}, {21, 30, 13, 18}},
                       {{0, 4, 0, 4}, {5, 12, 5, 12}, {13, 18, 13, 20}}),
              ElementsAre(Range(0, 20, 0, 12), Range(21, 30, 13, 20)));
}

TEST(PivotParts, ASegmentComesFromAllSentencesThatItTouches) {
  engine::ItemResult first = First(0, "x");
  first.sentences = Ranges({{0, 10, 0, 4}, {11, 20, 5, 8}, {21, 30, 9, 12}});
  const engine::ByteRange both = SourceOf(first, {2, 6});
  EXPECT_EQ(both.begin, 0);
  EXPECT_EQ(both.end, 20);
  const engine::ByteRange last = SourceOf(first, {9, 12});
  EXPECT_EQ(last.begin, 21);
  EXPECT_EQ(SourceOf(first, {12, 12}).end, 0);
}

TEST(PivotParts, TheAnswerIsTheSecondsWithTheFirstBesideIt) {
  engine::ItemResult first = First(5, "between");
  first.sentences = Ranges({{0, 3, 0, 7}});
  first.hypotheses[0].score = -0.5F;
  first.hypotheses[0].log_prob = -4.0F;
  first.hypotheses[0].finish_reason = kernels::FinishReason::kLength;
  first.source_tokens = {"s"};
  first.source_token_count = 4;
  first.target_token_count = 9;
  engine::ItemResult second = First(0, "fin");
  second.sentences = Ranges({{0, 3, 0, 2}, {4, 7, 2, 3}});
  second.hypotheses[0].score = -1.5F;
  second.hypotheses[0].finish_reason = kernels::FinishReason::kEos;
  second.source_tokens = {"t"};
  second.source_token_count = 6;
  second.target_token_count = 2;
  const engine::ItemResult result =
      Compose(first, second, {.first_model = "a", .second_model = "b"});
  EXPECT_EQ(result.index, 5);
  EXPECT_EQ(result.hypotheses[0].text, "fin");
  EXPECT_EQ(result.hypotheses[0].score, -1.5F);
  // The worse of the two reasons.
  EXPECT_EQ(result.hypotheses[0].finish_reason, kernels::FinishReason::kLength);
  EXPECT_THAT(result.source_tokens, ElementsAre("s"));
  EXPECT_EQ(result.source_token_count, 4);
  EXPECT_EQ(result.target_token_count, 2);
  ASSERT_TRUE(result.pivot.has_value());
  EXPECT_EQ(result.pivot->first_model, "a");
  EXPECT_EQ(result.pivot->text, "between");
  EXPECT_EQ(result.pivot->score, -0.5F);
  EXPECT_EQ(result.pivot->log_prob, -4.0F);
  EXPECT_EQ(result.pivot->finish_reason, kernels::FinishReason::kLength);
  EXPECT_TRUE(result.pivot->first_one_segment);
  EXPECT_FALSE(result.pivot->second_one_segment);
}

}  // namespace
}  // namespace dragoman::server
