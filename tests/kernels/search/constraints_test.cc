// Tests of the constraint state with word edges (SEARCH.md d.1) and gates (d.7) on examples worked
// out by hand. tests/oracle tests the state without them, and its differential test in all
// combinations.
#include "kernels/search/constraints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "engine/decode/phrase_tables.h"

namespace dragoman::kernels {
namespace {

using ::testing::ElementsAre;
using Tokens = std::vector<int32_t>;

constexpr int32_t kEos = 0;
constexpr int32_t kVocabulary = 100;

// Tokens 1 to 9 begin a word, and tokens 11 to 19 continue one (11 is the same text as 1, and so
// on). Tokens 20 to 29 are punctuation: no token continues them, and they continue no word.
class Words : public ::testing::Test {
 protected:
  Words() : edges_(kVocabulary) {
    for (int32_t token = 1; token <= 19; ++token) edges_.MarkOpen(token);
    for (int32_t token = 11; token <= 19; ++token) edges_.MarkContinues(token);
  }

  engine::ConstraintTable Table(const std::vector<Tokens>& phrases) const {
    return engine::ConstraintTable(phrases, &edges_);
  }

  // Returns the bank after each token.
  Tokens Banks(const std::vector<Tokens>& phrases, const Tokens& tokens) const {
    const engine::ConstraintTable table = Table(phrases);
    ConstraintState state = StartConstraints(table.set());
    Tokens banks;
    for (const int32_t token : tokens) {
      state = Advance(table.set(), state, token);
      banks.push_back(Bank(state));
    }
    return banks;
  }

  ConstraintState After(const engine::ConstraintTable& table, const Tokens& tokens) const {
    ConstraintState state = StartConstraints(table.set());
    for (const int32_t token : tokens) state = Advance(table.set(), state, token);
    return state;
  }

  bool IsMetBy(const std::vector<Tokens>& phrases, const Tokens& tokens) const {
    const engine::ConstraintTable table = Table(phrases);
    return Finished(table.set(), After(table, tokens));
  }

  Tokens Progress(const std::vector<Tokens>& phrases, const Tokens& tokens) const {
    const engine::ConstraintTable table = Table(phrases);
    std::set<int32_t> progress;
    ForProgressTokens(table.set(), After(table, tokens),
                      [&](int32_t token) { progress.insert(token); });
    return {progress.begin(), progress.end()};
  }

  engine::WordEdgeTable edges_;
};

TEST_F(Words, APhraseIsNotMetByTheBeginningOfALongerWord) {
  EXPECT_THAT(Banks({{1, 12}}, {1, 12, 13}), ElementsAre(1, 2, 0));
  EXPECT_THAT(Banks({{1, 12}}, {1, 12, 2}), ElementsAre(1, 2, 2));
  EXPECT_THAT(Banks({{1, 12}}, {1, 12, 20, 13}), ElementsAre(1, 2, 2, 2));
  EXPECT_FALSE(IsMetBy({{1}}, {3, 1, 12}));
  EXPECT_TRUE(IsMetBy({{1}}, {3, 1, 12, 1}));
  EXPECT_TRUE(IsMetBy({{1}}, {1, 2, 1, 12}));  // the first match counts, whatever follows
}

TEST_F(Words, EndOfSentenceIsABoundary) {
  EXPECT_TRUE(IsMetBy({{1, 12}}, {1, 12, kEos}));
  EXPECT_TRUE(IsMetBy({{1, 12, kEos}}, {1, 12, kEos}));
  EXPECT_TRUE(IsMetBy({{1}, {1, 12}}, {1, 12, 1, kEos}));
}

TEST_F(Words, AnythingMayFollowAPhraseThatIsNotOpen) {
  EXPECT_THAT(Banks({{1, 20}}, {1, 20, 13}), ElementsAre(1, 2, 2));
  EXPECT_THAT(Banks({{20}}, {20, 13}), ElementsAre(1, 1));
}

TEST_F(Words, APhraseDoesNotBeginInsideAWord) {
  EXPECT_THAT(Banks({{11}}, {3, 11}), ElementsAre(0, 0));
  EXPECT_THAT(Banks({{11, 12}}, {3, 11, 12}), ElementsAre(0, 0, 0));
  EXPECT_THAT(Banks({{11}}, {20, 11}), ElementsAre(0, 1));  // after punctuation
  EXPECT_THAT(Banks({{11}}, {11}), ElementsAre(1));         // at the very beginning
  EXPECT_THAT(Progress({{11}, {2}}, {3}), ElementsAre(2));
  EXPECT_THAT(Progress({{11}, {2}}, {20}), ElementsAre(2, 11));
}

TEST_F(Words, WhatIsTakenBackIsMatchedAgain) {
  // [1, 12] is taken back. Its end would be the beginning of [12, 13], but that is inside a word.
  EXPECT_FALSE(IsMetBy({{1, 12}, {12, 13}}, {1, 12, 13}));
  // After punctuation it is not inside a word.
  EXPECT_THAT(Banks({{1, 20}, {20, 13}}, {1, 20, 13}), ElementsAre(1, 2, 2));
  EXPECT_THAT(Banks({{1, 20, 11}, {11, 12}}, {1, 20, 11, 12}), ElementsAre(1, 2, 3, 2));
  EXPECT_THAT(Banks({{1, 2}, {2, 13}}, {1, 2, 13}), ElementsAre(1, 2, 2));
  // A shorter phrase at the beginning of the one taken back is met after all, by the tokens before
  // the last word.
  EXPECT_THAT(Banks({{1, 2}, {1}}, {1, 2, 13}), ElementsAre(1, 2, 1));
  EXPECT_THAT(Banks({{1, 12}, {1}}, {1, 12, 13}), ElementsAre(1, 2, 0));
}

TEST_F(Words, OneOfTwoEqualPhrasesIsTakenBack) {
  EXPECT_THAT(Banks({{7}, {7}}, {7, 7, 13, 7}), ElementsAre(1, 2, 1, 2));
  EXPECT_THAT(Banks({{7}, {7}}, {7, 13, 7, 13, 7, 7}), ElementsAre(1, 0, 1, 0, 1, 2));
}

TEST_F(Words, APendingPhraseIsCompletedOnlyAtABoundary) {
  const std::vector<Tokens> phrases = {{1, 2}, {1, 2, 13}};
  EXPECT_THAT(Banks(phrases, {1, 2, 13}), ElementsAre(1, 2, 3));
  EXPECT_THAT(Banks(phrases, {1, 2, 14}), ElementsAre(1, 2, 0));
  EXPECT_THAT(Banks(phrases, {1, 2, 3}), ElementsAre(1, 2, 2));
  // The longer phrase is taken back, and the shorter one does not end at a boundary either.
  EXPECT_THAT(Banks(phrases, {1, 2, 13, 14}), ElementsAre(1, 2, 3, 0));
  // The next shorter phrase does.
  EXPECT_THAT(Banks({{1}, {1, 2}, {1, 2, 13}}, {1, 2, 14}), ElementsAre(1, 2, 1));
}

// Phrases are completed while text is matched again, before its last token or by that token.
TEST_F(Words, WhatIsMatchedAgainLooksAtTheNextTokenToo) {
  const std::vector<Tokens> phrases = {{1, 2, 13, 4}, {2}};
  EXPECT_THAT(Banks(phrases, {1, 2, 13, 5}), ElementsAre(1, 2, 3, 0));
  EXPECT_THAT(Banks({{1, 2, 3, 4}, {2}}, {1, 2, 3, 5}), ElementsAre(1, 2, 3, 1));
  EXPECT_THAT(Banks({{1, 2, 3}, {2}}, {1, 2, 13}), ElementsAre(1, 2, 0));
  EXPECT_THAT(Banks({{1, 2, 3}, {2}, {2, 13}}, {1, 2, 13, 4}), ElementsAre(1, 2, 2, 2));
  // [2, 3] is completed by the last token, but the next token continues that token's word.
  EXPECT_THAT(Banks({{1, 2, 4}, {2, 3}}, {1, 2, 3, 14}), ElementsAre(1, 2, 2, 0));
  // [2, 3] is completed and taken back within the text. What remains completes [3, 14].
  EXPECT_THAT(Banks({{1, 2, 3, 14, 5}, {2, 3}, {3, 14}}, {1, 2, 3, 14, 6}),
              ElementsAre(1, 2, 3, 4, 2));
}

TEST_F(Words, TellsWhetherTheNextTokenMayContinueAPhrase) {
  const engine::ConstraintTable table = Table({{1, 2}, {1, 2, 3}, {20}});
  EXPECT_FALSE(EndsInWord(table.set(), After(table, {})));
  EXPECT_FALSE(EndsInWord(table.set(), After(table, {1})));
  EXPECT_TRUE(EndsInWord(table.set(), After(table, {1, 2})));
  EXPECT_TRUE(EndsInWord(table.set(), After(table, {1, 2, 3})));
  EXPECT_FALSE(EndsInWord(table.set(), After(table, {1, 2, 3, 4})));
  EXPECT_FALSE(EndsInWord(table.set(), After(table, {20})));
  const engine::ConstraintTable plain(std::vector<Tokens>{{1}});
  EXPECT_FALSE(EndsInWord(plain.set(), After(plain, {1})));
}

TEST_F(Words, TokensBeyondTheTableAreWordsOfTheirOwn) {
  EXPECT_THAT(Banks({{1}}, {1, 1000}), ElementsAre(1, 1));
  EXPECT_THAT(Banks({{1}}, {1, -1}), ElementsAre(1, 1));
}

using Gated = std::vector<engine::GatedPhrase>;

// Returns the tokens that make progress in a row aligned with `source`. `before` are the previous
// tokens, each with the source position that its row was aligned with.
Tokens ProgressAt(uint16_t source, const Gated& phrases,
                  const std::vector<std::pair<int32_t, uint16_t>>& before = {}) {
  const engine::ConstraintTable table(phrases, true, nullptr);
  ConstraintState state = StartConstraints(table.set());
  for (const auto& [token, at] : before) state = Advance(table.set(), state, token, at);
  Tokens progress;
  for (int32_t token = 0; token < kVocabulary; ++token) {
    if (MakesProgress(table.set(), state, source, token)) progress.push_back(token);
  }
  return progress;
}

TEST(Gates, OpenTheBeginningOfAPhraseWhereTheRowIsAlignedWithIt) {
  const Gated phrases = {{{1, 2}, 3, 5}, {{4}, 0, 2}};
  EXPECT_THAT(ProgressAt(2, phrases), ElementsAre());
  EXPECT_THAT(ProgressAt(3, phrases), ElementsAre(1));
  EXPECT_THAT(ProgressAt(4, phrases), ElementsAre(1));
  EXPECT_THAT(ProgressAt(1, phrases), ElementsAre(4));
  EXPECT_THAT(ProgressAt(kAnySource, phrases), ElementsAre(1, 4));
}

TEST(Gates, APathGoesOnWhereverItIsIfItBeganInItsGate) {
  const Gated phrases = {{{1, 2}, 3, 5}};
  EXPECT_THAT(ProgressAt(0, phrases, {{1, 4}}), ElementsAre(2));
  EXPECT_THAT(ProgressAt(4, phrases, {{1, 0}}), ElementsAre());
}

TEST(Gates, APhraseThatCameByItselfIsMet) {
  const engine::ConstraintTable table(Gated{{{1, 2}, 3, 5}}, true, nullptr);
  ConstraintState state = StartConstraints(table.set());
  state = Advance(table.set(), state, 1, 0);
  state = Advance(table.set(), state, 2, 0);
  EXPECT_TRUE(Finished(table.set(), state));
}

TEST(Gates, OfEqualPhrasesTheOneOfThisPlaceIsMet) {
  const Gated phrases = {{{1}, 0, 1}, {{1}, 5, 6}};
  EXPECT_THAT(ProgressAt(0, phrases, {{1, 5}}), ElementsAre(1));
  EXPECT_THAT(ProgressAt(5, phrases, {{1, 5}}), ElementsAre());
  EXPECT_THAT(ProgressAt(5, phrases, {{1, 0}}), ElementsAre(1));
}

}  // namespace
}  // namespace dragoman::kernels
