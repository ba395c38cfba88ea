// Tests ensembles in a complete engine: every decoding method in batches, and combinations that are
// refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/engine/support/bundled_engine.h"
#include "tests/engine/support/mixed_requests.h"
#include "tests/engine/support/translate_all.h"

namespace dragoman::engine {
namespace {

using ::testing::HasSubstr;

const std::string kModels = DRAGOMAN_SOURCE_DIR "/tests/data/models/";

class EngineEnsemble : public testing::BundledEngine {
 protected:
  absl::Status StartWith(const std::string& directory, const EnsembleChoice& ensemble,
                         EngineConfig config = {}) {
    config.max_rows = 48;
    config.ensemble = ensemble;
    auto engine = CreateEngine(directory, config, &clock_, &observer_);
    if (!engine.ok()) return engine.status();
    engine_ = std::move(*engine);
    return absl::OkStatus();
  }
  std::string Refusal(const std::string& first, const std::vector<std::string>& others,
                      const std::vector<double>& weights = {}) {
    std::vector<std::string> directories;
    for (const std::string& other : others) directories.push_back(kModels + other);
    const absl::Status status = StartWith(kModels + first, {directories, weights});
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    return std::string(status.message());
  }
};

// The second member is a copy of the bundled model, so the translation must be that of the single
// model.
TEST_F(EngineEnsemble, OfOneModelTwiceTranslatesAsThatModel) {
  Start();
  const std::string alone = Text("Wo ist der nächste Bahnhof?");
  const int64_t parameters = engine_->info().parameters;
  const int64_t weights = engine_->Stats().memory[0].weights;
  const int64_t kv = engine_->Stats().memory[0].kv;
  for (const kernels::MeanKind mean :
       {kernels::MeanKind::kProbability, kernels::MeanKind::kLogProbability}) {
    EngineConfig config;
    ASSERT_TRUE(
        StartWith(testing::kBundledModel, {{testing::kBundledModel}, {0.25, 4}, mean}).ok());
    EXPECT_EQ(Text("Wo ist der nächste Bahnhof?"), alone);
    EXPECT_EQ(engine_->info().parameters, 2 * parameters);
    EXPECT_EQ(engine_->Stats().memory[0].weights, 2 * weights);
    EXPECT_GT(engine_->Stats().memory[0].kv, kv);  // each page has a part for each member
  }
}

// Requests of every decoding method give bit for bit the same result alone and in a full batch.
TEST_F(EngineEnsemble, EveryMethodIsTheSameInAnyCompany) {
  for (const kernels::ComputeType type :
       {kernels::ComputeType::kFloat32, kernels::ComputeType::kInt8}) {
    for (const kernels::MeanKind mean :
         {kernels::MeanKind::kProbability, kernels::MeanKind::kLogProbability}) {
      EngineConfig config;
      config.devices.compute_type = type;
      config.threads_per_worker = 2;
      ASSERT_TRUE(StartWith(kModels + "tiny-a",
                            {{kModels + "tiny-a2", kModels + "tiny-a3"}, {3, 2, 1}, mean}, config)
                      .ok());
      SCOPED_TRACE(kernels::ComputeTypeName(type));
      testing::ExpectTheSameInCompany(*engine_,
                                      testing::MixedJobs(4 * testing::MixedRequests::kKinds, 7), 5);
    }
  }
}

TEST_F(EngineEnsemble, LimitsAreTheLeastOfAll) {
  ASSERT_TRUE(StartWith(kModels + "tiny-a", {{kModels + "tiny-a2"}, {}}).ok());
  EXPECT_EQ(engine_->info().max_source_tokens, 128);
  EXPECT_EQ(engine_->info().decoder_layers, 2);  // the first member's, for alignments
}

TEST_F(EngineEnsemble, WhatCannotBeOneIsRefusedByTheFirstDifference) {
  EXPECT_THAT(Refusal("tiny-a", {"tiny-b"}),
              AllOf(HasSubstr("tiny-b: target vocabulary: id 2: found \"2\", expected"),
                    HasSubstr("as in " + kModels + "tiny-a")));
  EXPECT_THAT(Refusal("tiny-a", {"tiny-a2", "tiny-multi"}), HasSubstr("tiny-multi: target"));
  EXPECT_THAT(Refusal("tiny-a", std::vector<std::string>(8, "tiny-a2")),
              HasSubstr("found 9 members, expected 2 to 8"));
  EXPECT_THAT(Refusal("tiny-a", {"tiny-a2"}, {1, 2, 3}),
              HasSubstr("ensemble-weights: found 3 weights, expected 2"));
  EXPECT_THAT(std::string(StartWith(kModels + "tiny-a", {{kModels + "none"}, {}}).message()),
              HasSubstr("none: no such directory"));
}

// On a GPU, K and V of all members must have the same width, because they share pages.
TEST_F(EngineEnsemble, MembersOfDifferentWidthsAreRefusedByNameOnAGpu) {
  EngineConfig config;
  config.devices.cuda = {0};
  config.devices.compute_type = kernels::ComputeType::kFloat32;
  const absl::Status status = StartWith(kModels + "tiny-a", {{kModels + "tiny-a2"}, {}}, config);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(
      std::string(status.message()),
      HasSubstr("an ensemble on a GPU: member 2 has K and V of 24 dimensions, expected 32"));
}

}  // namespace
}  // namespace dragoman::engine
