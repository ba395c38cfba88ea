#include "engine/request/target_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "engine/decode/phrase_tables.h"

namespace dragoman::engine {
namespace {

using ::testing::ElementsAre;
using Tokens = std::vector<int32_t>;

// Returns the begin and the tokens of each place. Unlike the phrases' numbers they do not depend on
// the order of the phrases in the set.
std::vector<std::pair<int32_t, Tokens>> Found(const ConstraintTable& table, const Tokens& tokens,
                                              bool is_prefix = false) {
  const kernels::ConstraintSet set = table.set();
  std::vector<std::pair<int32_t, Tokens>> found;
  for (const PhrasePlace& place : TracePhrases(set, tokens, is_prefix).places) {
    const auto phrase = tokens.begin() + place.begin;  // checked in a test below
    found.emplace_back(place.begin, Tokens(phrase, phrase + (place.end - place.begin)));
  }
  return found;
}

TEST(PhraseTrace, FindsEachPhraseOnceWhereItWasMet) {
  const ConstraintTable table({{5, 6}, {7}});
  EXPECT_THAT(Found(table, {1, 5, 6, 2, 7, 7}),
              ElementsAre(std::pair(1, Tokens{5, 6}), std::pair(4, Tokens{7})));
  EXPECT_THAT(Found(table, {5, 5, 6}), ElementsAre(std::pair(1, Tokens{5, 6})));
  EXPECT_TRUE(Found(table, {1, 2, 3}).empty());
}

TEST(PhraseTrace, APhraseThatWaitsForALongerOneIsFoundWhenThatFails) {
  const ConstraintTable table({{1, 2}, {1, 2, 3}});
  EXPECT_THAT(Found(table, {1, 2, 3, 1, 2}),
              ElementsAre(std::pair(0, Tokens{1, 2, 3}), std::pair(3, Tokens{1, 2})));
  EXPECT_THAT(Found(table, {1, 2, 4}), ElementsAre(std::pair(0, Tokens{1, 2})));
  // The shorter phrase is found at the end of the output, but not while the longer one is still
  // possible.
  EXPECT_THAT(Found(table, {9, 1, 2}), ElementsAre(std::pair(1, Tokens{1, 2})));
  EXPECT_TRUE(Found(table, {9, 1, 2}, true).empty());
  EXPECT_EQ(TracePhrases(table.set(), Tokens{9, 1, 2}, true).settled, 1);
}

TEST(PhraseTrace, APhraseInsideAWordLeavesTheTrace) {
  WordEdgeTable edges(20);
  for (int32_t token = 1; token < 20; ++token) edges.MarkOpen(token);
  for (int32_t token = 10; token < 20; ++token) edges.MarkContinues(token);
  const ConstraintTable table({{1, 11}, {2}}, &edges);
  EXPECT_THAT(Found(table, {1, 11, 12, 2, 1, 11}),
              ElementsAre(std::pair(3, Tokens{2}), std::pair(4, Tokens{1, 11})));
  EXPECT_TRUE(Found(table, {1, 11, 12, 2, 13}).empty());
  // Only the next token tells whether the phrase ends at a word boundary.
  EXPECT_TRUE(Found(table, {3, 1, 11}, true).empty());
  EXPECT_EQ(TracePhrases(table.set(), Tokens{3, 1, 11}, true).settled, 1);
  EXPECT_THAT(Found(table, {3, 1, 11, 4}, true), ElementsAre(std::pair(1, Tokens{1, 11})));
  EXPECT_EQ(TracePhrases(table.set(), Tokens{3, 1, 11, 4}, true).settled, 4);
}

// With few distinct tokens and many phrases, overlaps and matches that are revoked occur often.
TEST(PhraseTrace, AgreesWithTheSearchAboutWhatIsMet) {
  std::mt19937 random(5);
  int finished = 0;
  int taken_back = 0;
  for (int round = 0; round < 30000; ++round) {
    const int vocabulary = 2 + static_cast<int>(random() % 3);
    std::vector<Tokens> phrases(1 + random() % 5);
    for (Tokens& phrase : phrases) {
      phrase.resize(1 + random() % 4);
      for (int32_t& token : phrase) token = static_cast<int32_t>(random() % vocabulary);
    }
    WordEdgeTable edges(vocabulary);
    for (int32_t token = 0; round % 2 == 0 && token < vocabulary; ++token) {
      if (random() % 2 == 0) edges.MarkContinues(token);
      if (random() % 3 != 0) edges.MarkOpen(token);
    }
    const ConstraintTable table(phrases, &edges);
    const kernels::ConstraintSet set = table.set();
    Tokens tokens(random() % 24);
    for (int32_t& token : tokens) token = static_cast<int32_t>(random() % vocabulary);

    const PhraseTrace trace = TracePhrases(set, tokens, false);
    kernels::ConstraintState state = kernels::StartConstraints(set);
    for (const int32_t token : tokens) {
      const int32_t met = state.met_phrases;
      state = kernels::Advance(set, state, token);
      taken_back += state.met_phrases < met ? 1 : 0;
    }
    if (kernels::Finished(set, state)) {
      ++finished;
      ASSERT_EQ(trace.places.size(), phrases.size());
    }
    state = kernels::Advance(set, state, -1);
    ASSERT_EQ(trace.places.size(), static_cast<size_t>(state.met_phrases));
    int32_t end = 0;
    std::vector<bool> seen(phrases.size());
    for (const PhrasePlace& place : trace.places) {
      ASSERT_GE(place.begin, end);
      ASSERT_LE(place.end, static_cast<int32_t>(tokens.size()));
      end = place.end;
      ASSERT_FALSE(seen[static_cast<size_t>(place.phrase)]);
      seen[static_cast<size_t>(place.phrase)] = true;
      ASSERT_EQ(place.end - place.begin, set.Length(place.phrase));
      for (int32_t i = place.begin; i < place.end; ++i) {
        ASSERT_EQ(tokens[static_cast<size_t>(i)], set.Token(place.phrase, i - place.begin));
      }
      const auto joins = [&](int32_t at) {
        return at > 0 && at < static_cast<int32_t>(tokens.size()) &&
               set.edges.Joins(tokens[static_cast<size_t>(at) - 1],
                               tokens[static_cast<size_t>(at)]);
      };
      ASSERT_FALSE(joins(place.begin));
      ASSERT_FALSE(joins(place.end));
    }
    // A trace of a prefix has only places that the complete trace has, too.
    for (size_t n = 0; n <= tokens.size(); ++n) {
      const PhraseTrace part = TracePhrases(set, std::span(tokens).first(n), true);
      ASSERT_LE(part.settled, static_cast<int32_t>(n));
      ASSERT_LE(part.places.size(), trace.places.size());
      for (size_t i = 0; i < part.places.size(); ++i) ASSERT_EQ(part.places[i], trace.places[i]);
      for (size_t i = part.places.size(); i < trace.places.size(); ++i) {
        ASSERT_GE(trace.places[i].begin, part.settled);
      }
    }
  }
  EXPECT_GT(finished, 3000);
  EXPECT_GT(taken_back, 3000);
}

}  // namespace
}  // namespace dragoman::engine
