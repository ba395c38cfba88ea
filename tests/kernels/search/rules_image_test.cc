// Tests that an image restores a segment's rules, wherever the image is copied to.
#include "kernels/search/rules_image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/engine/support/random_segment.h"

namespace dragoman::kernels {
namespace {

using testing::RandomSegment;

template <class T>
void ExpectSame(const T* found, const T* expected, int64_t count) {
  EXPECT_TRUE(std::equal(expected, expected + count, found));
}

void ExpectSame(const IdList& found, const IdList& expected) {
  ASSERT_EQ(found.count, expected.count);
  ExpectSame(found.ids, expected.ids, expected.count);
}

TEST(RulesImage, HoldsWhatTheRulesHold) {
  int constrained = 0;
  int with_edges = 0;
  int gated = 0;
  int forbidden = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const RandomSegment segment(testing::MakeRandomCase(seed));
    const SegmentRules rules = segment.Rules();
    const int32_t max_tokens = segment.options.max_tokens;
    const int64_t words = RulesImageWords(rules, max_tokens);
    ASSERT_LE(words, MaxRulesImageWords(max_tokens, segment.random_case.vocabulary));
    std::vector<int32_t> image(static_cast<size_t>(words) + 1, -7);
    WriteRulesImage(rules, max_tokens, image.data());
    ASSERT_EQ(image.back(), -7);
    std::vector<int32_t> copy(image.size());
    for (size_t i = 0; i < image.size(); ++i) CopyWord(copy.data() + i, image.data() + i);
    std::fill(image.begin(), image.end(), 0);

    const SegmentRules found = RulesFrom(copy.data());
    ExpectSame(found.divisor, rules.divisor, max_tokens + 2);
    ASSERT_EQ(found.prefix_length, rules.prefix_length);
    ExpectSame(found.prefix, rules.prefix, rules.prefix_length);
    ASSERT_EQ(found.constraints.phrases, rules.constraints.phrases);
    ASSERT_EQ(found.constraints.total(), rules.constraints.total());
    if (rules.constraints.phrases > 0) {
      ++constrained;
      ExpectSame(found.constraints.begin, rules.constraints.begin, rules.constraints.phrases + 1);
      ExpectSame(found.constraints.tokens, rules.constraints.tokens, rules.constraints.total());
      const WordEdges& edges = rules.constraints.edges;
      ASSERT_EQ(found.constraints.edges.words, edges.words);
      ExpectSame(found.constraints.edges.continues, edges.continues, edges.words);
      ExpectSame(found.constraints.edges.open, edges.open, edges.words);
      with_edges += edges.words > 0 ? 1 : 0;
      ASSERT_EQ(found.constraints.gated(), rules.constraints.gated());
      if (found.constraints.gated()) {
        ++gated;
        ExpectSame(found.constraints.gates, rules.constraints.gates, 2 * rules.constraints.phrases);
      }
    }
    ASSERT_EQ(found.source.count, rules.source.count);
    ExpectSame(found.source.ids, rules.source.ids, rules.source.count);
    const ForbiddenAutomaton& a = rules.forbidden;
    ASSERT_EQ(found.forbidden.nodes, a.nodes);
    if (a.nodes > 0) {
      ++forbidden;
      const int32_t edges = a.edge_begin[a.nodes];
      ExpectSame(found.forbidden.edge_begin, a.edge_begin, a.nodes + 1);
      ExpectSame(found.forbidden.edge_token, a.edge_token, edges);
      ExpectSame(found.forbidden.edge_node, a.edge_node, edges);
      ExpectSame(found.forbidden.edge_ends, a.edge_ends, edges);
      ExpectSame(found.forbidden.fail, a.fail, a.nodes);
    }
    ExpectSame(found.forbidden.always, a.always);
    ExpectSame(found.excluded, rules.excluded);
  }
  EXPECT_GT(constrained, 40);
  EXPECT_GT(with_edges, 20);
  EXPECT_GT(gated, 10);
  EXPECT_GT(forbidden, 20);
}

}  // namespace
}  // namespace dragoman::kernels
