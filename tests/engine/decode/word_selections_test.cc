#include "engine/decode/word_selections.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "tests/kernels/ops/test_support.h"

namespace dragoman::engine {
namespace {

constexpr int kDim = 24;
constexpr int kVocabulary = 3000;

class WordSelectionsTest : public ::testing::TestWithParam<kernels::ComputeType> {
 protected:
  WordSelectionsTest()
      : weight_(kernels::RandomFloats(size_t{kDim} * kVocabulary, 1)),
        layer_(
            kernels::OutputLayer::Create(weight_.data(), nullptr, kDim, kVocabulary, GetParam())) {}

  const std::vector<float> weight_;
  const std::unique_ptr<kernels::OutputLayer> layer_;
};

std::vector<int32_t> Every(int step, int begin) {
  std::vector<int32_t> words;
  for (int32_t word = begin; word < kVocabulary; word += step) words.push_back(word);
  return words;
}

kernels::IdList ListOf(const std::vector<int32_t>& words) {
  return {words.data(), static_cast<int32_t>(words.size())};
}

// While segments enter and leave, the selections of the others stay unchanged.
TEST_P(WordSelectionsTest, SegmentsComeAndGo) {
  constexpr int kSlots = 6;
  WordSelections selections(layer_.get(), kSlots);
  std::mt19937 random(3);
  std::map<int, std::vector<int32_t>> live;
  int turned_away = 0;
  for (int i = 0; i < 400; ++i) {
    const int slot = static_cast<int>(random() % kSlots);
    if (live.contains(slot)) {
      selections.Leave(slot);
      live.erase(slot);
      EXPECT_EQ(selections.Of(slot), nullptr);
    } else {
      std::vector<int32_t> words =
          Every(1 + static_cast<int>(random() % 4), static_cast<int>(random() % kVocabulary));
      if (!selections.HasRoomFor(static_cast<int32_t>(words.size()))) {
        EXPECT_FALSE(live.empty());
        ++turned_away;
        continue;
      }
      std::vector<int32_t>& kept = live[slot] = std::move(words);
      selections.Enter(slot, ListOf(kept));
    }
    for (const auto& [number, words] : live) {
      const kernels::OutputLayer::Selection* found = selections.Of(number);
      ASSERT_NE(found, nullptr);
      ASSERT_EQ(found->words.ids, words.data());
      const size_t floats = layer_->SelectedFloats(static_cast<int64_t>(words.size()));
      std::vector<float> expected(floats + 16);
      auto* const aligned =
          reinterpret_cast<float*>((reinterpret_cast<uintptr_t>(expected.data()) + 63) / 64 * 64);
      layer_->Select(ListOf(words), aligned);
      ASSERT_EQ(std::memcmp(found->memory, aligned, floats * sizeof(float)), 0) << i;
    }
  }
  EXPECT_GT(turned_away, 0);
}

TEST_P(WordSelectionsTest, AllWordsFitWhereThereIsNoOther) {
  WordSelections selections(layer_.get(), 1);
  const std::vector<int32_t> all = Every(1, 0);
  EXPECT_TRUE(selections.HasRoomFor(kVocabulary));
  selections.Enter(0, ListOf(all));
  selections.Leave(0);
  selections.Leave(0);  // slot 0 has no selection any more
  EXPECT_TRUE(selections.HasRoomFor(kVocabulary));
}

// The planned bytes are those of a selection with the planned number of words.
TEST_P(WordSelectionsTest, BytesAreThoseOfTheirWords) {
  const int64_t bytes = WordSelections::BytesOf(GetParam(), kDim, kVocabulary, 2);
  const auto floats = static_cast<int64_t>(layer_->SelectedFloats(3008 + 2 * 1024));
  EXPECT_EQ(bytes, floats * static_cast<int64_t>(sizeof(float)));
  EXPECT_EQ(WordSelections(layer_.get(), 2).bytes(), bytes);
}

INSTANTIATE_TEST_SUITE_P(Types, WordSelectionsTest,
                         ::testing::Values(kernels::ComputeType::kFloat32,
                                           kernels::ComputeType::kBFloat16,
                                           kernels::ComputeType::kInt8),
                         [](const auto& info) {
                           return std::string(kernels::ComputeTypeName(info.param));
                         });

}  // namespace
}  // namespace dragoman::engine
