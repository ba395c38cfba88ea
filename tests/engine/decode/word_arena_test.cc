#include "engine/decode/word_arena.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace dragoman::engine {
namespace {

TEST(WordArena, TakesTheLowestPlaceThatFits) {
  WordArena arena(100, 8);
  EXPECT_EQ(arena.Take(30), 0);
  EXPECT_EQ(arena.Take(20), 30);
  EXPECT_EQ(arena.Take(50), 50);
  EXPECT_FALSE(arena.Fits(1));
  EXPECT_EQ(arena.used(), 100);
  arena.GiveBack(0, 30);
  arena.GiveBack(50, 50);
  EXPECT_FALSE(arena.Fits(51)) << "80 words are free, but in two places";
  EXPECT_EQ(arena.Take(31), 50);
  EXPECT_EQ(arena.Take(10), 0);
  EXPECT_EQ(arena.Take(20), 10);
}

TEST(WordArena, NeighboursThatAreGivenBackAreOnePlaceAgain) {
  for (const bool middle_last : {false, true}) {
    WordArena arena(90, 3);
    for (int i = 0; i < 3; ++i) arena.Take(30);
    const auto give_back = [&arena](int i) { arena.GiveBack(30 * i, 30); };
    give_back(0);
    give_back(middle_last ? 2 : 1);
    EXPECT_EQ(arena.Fits(31), !middle_last);
    give_back(middle_last ? 1 : 2);
    EXPECT_TRUE(arena.Fits(90));
    EXPECT_EQ(arena.used(), 0);
  }
}

TEST(WordArena, NoTwoBlocksOverlapHoweverTheyComeAndGo) {
  std::mt19937 random(7);
  WordArena arena(1000, 40);
  std::map<int32_t, int32_t> blocks;  // maps begin to number of words
  int taken = 0;
  for (int i = 0; i < 20000; ++i) {
    if (blocks.size() < 40 && random() % 2 == 0) {
      const auto words = static_cast<int32_t>(1 + random() % 120);
      if (!arena.Fits(words)) continue;
      const int32_t begin = arena.Take(words);
      const auto after = blocks.lower_bound(begin);
      ASSERT_TRUE(begin >= 0 && begin + words <= 1000);
      ASSERT_TRUE(after == blocks.end() || begin + words <= after->first);
      ASSERT_TRUE(after == blocks.begin() ||
                  std::prev(after)->first + std::prev(after)->second <= begin);
      blocks[begin] = words;
      ++taken;
    } else if (!blocks.empty()) {
      const auto block = std::next(blocks.begin(), static_cast<int>(random() % blocks.size()));
      arena.GiveBack(block->first, block->second);
      blocks.erase(block);
    }
  }
  EXPECT_GT(taken, 5000);
  for (const auto& [begin, words] : blocks) arena.GiveBack(begin, words);
  EXPECT_EQ(arena.used(), 0);
  EXPECT_EQ(arena.Take(1000), 0);
}

}  // namespace
}  // namespace dragoman::engine
