#include "client/load/load_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <random>
#include <string>

namespace dragoman::client {
namespace {

double MeanLength(const std::deque<std::string>& texts, size_t begin, size_t count) {
  double bytes = 0;
  for (size_t i = begin; i < begin + count; ++i) bytes += static_cast<double>(texts[i].size());
  return bytes / static_cast<double>(count);
}

// Most lines of texts are short, and some are very long.
std::deque<std::string> SkewedTexts(size_t count) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> length(3.7, 0.7);
  std::deque<std::string> texts;
  for (size_t i = 0; i < count; ++i) {
    texts.emplace_back(1 + static_cast<size_t>(length(random)), 'a');
    texts.back() += std::to_string(i);
  }
  return texts;
}

TEST(SpreadLengths, EveryStretchIsAsLongAsAllTextsOnAverage) {
  std::deque<std::string> texts = SkewedTexts(1000);
  const double mean = MeanLength(texts, 0, texts.size());
  const auto worst = [&texts, mean] {
    double off = 0;
    for (size_t begin = 0; begin + 64 <= texts.size(); ++begin) {
      off = std::max(off, std::abs(MeanLength(texts, begin, 64) / mean - 1));
    }
    return off;
  };
  EXPECT_GT(worst(), 0.2);  // the texts come in random order
  SpreadLengths(&texts);
  EXPECT_LT(worst(), 0.1);
}

TEST(SpreadLengths, KeepsEveryTextInAnOrderThatIsAlwaysTheSame) {
  for (const size_t count : {0, 1, 2, 3, 100}) {
    const std::deque<std::string> texts = SkewedTexts(count);
    std::deque<std::string> once = texts;
    SpreadLengths(&once);
    EXPECT_THAT(once, ::testing::UnorderedElementsAreArray(texts));
    std::deque<std::string> again = once;
    SpreadLengths(&again);
    std::deque<std::string> reversed(texts.rbegin(), texts.rend());
    SpreadLengths(&reversed);
    for (size_t i = 0; i < count; ++i) {
      EXPECT_EQ(again[i].size(), once[i].size());
      EXPECT_EQ(reversed[i].size(), once[i].size());
    }
  }
}

}  // namespace
}  // namespace dragoman::client
