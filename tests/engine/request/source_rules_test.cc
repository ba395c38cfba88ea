#include "engine/request/source_rules.h"

#include <cstdint>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dragoman::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Ngram = std::vector<int32_t>;

TEST(SourceRules, NgramsAreEachOnce) {
  const std::vector<int32_t> source = {5, 2, 5, 2, 0};
  EXPECT_THAT(SourceNgrams(source, 0), IsEmpty());
  EXPECT_THAT(SourceNgrams(source, 1), ElementsAre(Ngram{0}, Ngram{2}, Ngram{5}));
  EXPECT_THAT(SourceNgrams(source, 2), ElementsAre(Ngram{2, 0}, Ngram{2, 5}, Ngram{5, 2}));
  EXPECT_THAT(SourceNgrams(source, 5), ElementsAre(Ngram{5, 2, 5, 2, 0}));
  EXPECT_THAT(SourceNgrams(source, 6), IsEmpty());
}

TEST(SourceRules, DistinctTokensAscend) {
  EXPECT_THAT(DistinctTokens(std::vector<int32_t>{5, 2, 5, 0}), ElementsAre(0, 2, 5));
}

}  // namespace
}  // namespace dragoman::engine
