// Tests joining networks to one program: where the parts of each member are, what they share, and
// what cannot be joined.
#include "engine/network/ensemble_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "engine/model/families/family.h"
#include "tests/engine/network/ops_of.h"
#include "tests/engine/support/weights_in_memory.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Program Marian(int heads = 2, int layers = 2, int positions = 9) {
  ModelSpec spec;
  spec.shape = {8, 1, layers, heads, heads, 24, 16, 5, 5, positions};
  spec.share_embeddings = true;
  return FindFamily("marian")->make(spec)->program;
}

// Returns a member whose weight i has 100 * number + i in all elements, plus row / 64.
EnsembleNetwork Member(Program program, int number, double weight = 1) {
  WeightValues values;
  for (size_t i = 0; i < program.weights.size(); ++i) {
    const Weight& w = program.weights[i];
    std::vector<float> numbers;
    for (int64_t e = 0; e < w.elements(); ++e) {
      numbers.push_back(static_cast<float>(100 * number) + static_cast<float>(i) +
                        static_cast<float>(e / w.cols) / 64);
    }
    values.push_back(std::move(numbers));
  }
  auto weights = std::make_shared<const WeightsInMemory>(program, std::move(values));
  return {std::move(program), std::move(weights), weight};
}

TEST(JoinPrograms, MembersRunOneAfterTheOtherOnLayersOfTheirOwn) {
  const Program a = Marian();
  const Program b = Marian(4, 3, 7);
  const auto joined = ExpectOk(
      JoinPrograms({Member(a, 1, 3), Member(b, 2, 1)}, kernels::MeanKind::kLogProbability));
  EXPECT_EQ(joined->max_positions, 7);
  EXPECT_EQ(joined->kv.layers, 5);
  std::vector<int> heads;
  for (int layer = 0; layer < 5; ++layer) heads.push_back(joined->KvOf(layer).heads);
  EXPECT_THAT(heads, ElementsAre(2, 2, 4, 4, 4));
  EXPECT_EQ(joined->KvOf(4).head_dim, 2);
  std::vector<int> layers;
  for (const auto& op : All<SelfAttentionOp>(joined->decoder)) layers.push_back(op.layer);
  EXPECT_THAT(layers, ElementsAre(0, 1, 2, 3, 4));
  // Only the first member computes alignments.
  EXPECT_EQ(All<AlignOp>(joined->decoder).size(), All<AlignOp>(a.decoder).size());
  EXPECT_EQ(joined->decoder.ops.size(),
            a.decoder.ops.size() + b.decoder.ops.size() - 1 - All<AlignOp>(b.decoder).size());
  const auto& output = std::get<EnsembleOutputOp>(joined->decoder.ops.back().what);
  EXPECT_EQ(output.mean, kernels::MeanKind::kLogProbability);
  EXPECT_THAT(output.weights, ElementsAre(0.75F, 0.25F));
  ASSERT_EQ(joined->outputs().size(), 2U);
  EXPECT_NE(joined->outputs()[0].x, joined->outputs()[1].x);
  EXPECT_EQ(joined->vocabulary(), 5);
  std::set<std::string> names;
  for (const Weight& weight : joined->weights) names.insert(weight.name);
  EXPECT_EQ(names.size(), joined->weights.size());
  EXPECT_THAT(ProgramText(*joined),
              AllOf(HasSubstr("mean of the logs of 0.75 * softmax("), HasSubstr("4 heads of 2")));
}

TEST(JoinPrograms, WeightsAreTheMembersAndPositionsThoseThatAllHave) {
  const std::vector<EnsembleNetwork> members = {Member(Marian(), 1), Member(Marian(2, 2, 7), 2)};
  const auto joined = ExpectOk(JoinPrograms(members, kernels::MeanKind::kProbability));
  const JoinedWeights weights(members);
  const auto first = static_cast<WeightId>(members[0].program.weights.size());
  for (WeightId id = 0; id < static_cast<WeightId>(joined->weights.size()); ++id) {
    const Weight& weight = joined->weight(id);
    SCOPED_TRACE(weight.name);
    if (weight.role == WeightRole::kPositions) {
      EXPECT_EQ(weight.rows, 7);
    }
    std::vector<float> row(static_cast<size_t>(weight.cols));
    ASSERT_TRUE(weights.Read(id, weight.rows - 1, 1, row.data()).ok());
    const int member = id < first ? 1 : 2;
    EXPECT_EQ(row[0], 100.0F * static_cast<float>(member) +
                          static_cast<float>(member == 1 ? id : id - first) +
                          static_cast<float>(weight.rows - 1) / 64);
  }
  EXPECT_TRUE(weights.Check().ok());
}

// The cross-attention products of a member are joined only with products of the same member,
// because each reads the rows of its own weight.
TEST(JoinPrograms, CrossLayersOfEachMemberAreJoinedApart) {
  auto joined = ExpectOk(JoinPrograms({Member(Marian(2, 2), 1), Member(Marian(2, 3), 2)}, {}));
  JoinCrossLayers(joined->kv.layers, &*joined);
  ASSERT_TRUE(CheckProgram(*joined).ok()) << CheckProgram(*joined);
  const auto writes = All<WriteCrossKvOp>(joined->encoder);
  ASSERT_EQ(writes.size(), 2U);
  EXPECT_EQ(writes[0].first_layer, 0);
  EXPECT_EQ(writes[0].layers, 2);
  EXPECT_EQ(writes[1].first_layer, 2);
  EXPECT_EQ(writes[1].layers, 3);
}

TEST(JoinPrograms, WhatCannotSharePagesOrBiasesIsRefusedByName) {
  ModelSpec wide;
  wide.shape = {16, 1, 2, 2, 2, 24, 16, 5, 5, 9};
  wide.share_embeddings = true;
  const auto widths =
      JoinPrograms({Member(Marian(), 1), Member(FindFamily("marian")->make(wide)->program, 2)}, {});
  EXPECT_EQ(widths.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(widths.status().ToString(),
              HasSubstr("member 2 has K and V of 16 dimensions, expected 8 as in the first"));
  Program by_distance = Marian();
  by_distance.weights.push_back({"biases", WeightRole::kRelativeBias, 2, 9});
  const auto biases = JoinPrograms({Member(by_distance, 1), Member(Marian(2, 2, 7), 2)},
                                   kernels::MeanKind::kProbability);
  EXPECT_EQ(biases.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(biases.status().ToString(),
              HasSubstr("member 1 has biases by distance for 9 positions, expected 7"));
}

}  // namespace
}  // namespace dragoman::engine
