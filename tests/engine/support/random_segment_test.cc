// Checks that the random tests ask for every rule and option. They would not test one that is never
// drawn.
#include "tests/engine/support/random_segment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "tests/engine/support/mixed_requests.h"
#include "tests/engine/support/search_fields.h"

namespace dragoman::testing {
namespace {

using ::testing::UnorderedElementsAre;

TEST(RandomSegment, EveryFieldOfTheSearchIsDrawn) {
  std::map<std::string, std::set<double>> values;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    for (const auto& [name, value] : FieldsOf(ToSearchOptions(MakeRandomCase(seed)))) {
      values[name].insert(value);
    }
  }
  std::set<std::string> constant;
  for (const auto& [name, drawn] : values) {
    if (drawn.size() == 1) constant.insert(name);
  }
  // Fields that no option of a request sets, or that the reference does not support.
  EXPECT_THAT(constant,
              UnorderedElementsAre("alignment_heads", "alignment_layer", "eos", "free_prefix",
                                   "more_eos", "more_eos_count", "need_log_probs", "not_first",
                                   "not_first_count", "row_cost"));
}

TEST(MixedRequests, EveryOptionOfTheTableIsAskedFor) {
  std::set<std::string> missing;
  for (const DecodingOption& row : kDecodingOptions) missing.emplace(row.name);
  MixedRequests requests(1);
  for (int i = 0; i < 500; ++i) {
    int kind = 0;
    engine::TranslationJob job = requests.Next(&kind);
    engine::VisitOptions(job.decoding, [&](const DecodingOption& row, const auto& member) {
      if (engine::IsGiven(member)) missing.erase(std::string(row.name));
    });
  }
  // Options that only tests of single requests cover.
  EXPECT_THAT(missing,
              UnorderedElementsAre("alignment_heads", "alignment_layer", "constraint_prune",
                                   "max_length_extra", "max_length_ratio", "patience", "penalty"));
}

}  // namespace
}  // namespace dragoman::testing
