// Marian's own files through a whole engine, in every compute type: requests of every decoding
// method give in one batch, bit for bit, what they give alone, SSRU decoders included.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/create_engine.h"
#include "tests/engine/support/fakes.h"
#include "tests/engine/support/mixed_requests.h"
#include "tests/engine/support/translate_all.h"

namespace dragoman {
namespace {

using ::testing::StartsWith;

struct Case {
  const char* model = "";
  ComputeType compute_type = ComputeType::kFloat32;
};

class MarianFiles : public ::testing::TestWithParam<Case> {
 protected:
  std::unique_ptr<Engine> Start(int workers) {
    EngineConfig config;
    config.devices.compute_type = GetParam().compute_type;
    config.max_rows = 48;
    config.workers = workers;
    auto engine =
        CreateEngine(std::string(DRAGOMAN_SOURCE_DIR "/tests/data/models/") + GetParam().model,
                     config, &clock_, &observer_);
    EXPECT_TRUE(engine.ok()) << engine.status();
    return *std::move(engine);
  }

  testing::FakeClock clock_;
  testing::CountingObserver observer_;
};

TEST_P(MarianFiles, EveryMethodGivesInCompanyWhatItGivesAlone) {
  const std::unique_ptr<Engine> engine = Start(1);
  testing::MixedRequests requests(23);
  std::vector<TranslationJob> jobs;
  std::vector<int> kinds(testing::MixedRequests::kKinds);
  for (size_t i = 0; i < 150; ++i) {
    int kind = 0;
    jobs.push_back(requests.Next(&kind));
    ++kinds[static_cast<size_t>(kind)];
  }
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), 0), 0);
  const auto alone = testing::TranslateAlone(*engine, jobs);
  size_t translated = 0;
  for (const unsigned seed : {1U, 2U}) {
    const auto found =
        testing::TranslateTogether(*engine, jobs, testing::Shuffled(jobs.size(), seed));
    for (size_t i = 0; i < jobs.size(); ++i) {
      EXPECT_TRUE(alone[i].status.ok()) << alone[i].status;
      EXPECT_TRUE(testing::SameToTheBit(found[i], alone[i])) << i << ": " << jobs[i].contents[0];
      if (!alone[i].hypotheses.empty() && !alone[i].hypotheses[0].text.empty()) ++translated;
    }
  }
  EXPECT_GE(translated, jobs.size());  // of twice as many; the weights are random
}

TEST_P(MarianFiles, PrefixesAndAlignmentsAreAsOfOtherModels) {
  const std::unique_ptr<Engine> engine = Start(2);
  TranslationJob job;
  job.contents = {"Die Katze schläft am liebsten auf dem Drucker."};
  job.target_prefixes = {"Die Katze"};
  job.returns.tokens = true;
  job.returns.alignment = true;
  const auto results = testing::TranslateAlone(*engine, {job});
  ASSERT_TRUE(results[0].status.ok()) << results[0].status;
  const Hypothesis& found = results[0].hypotheses.at(0);
  EXPECT_THAT(found.text, StartsWith("Die Katze"));
  EXPECT_FALSE(found.alignment.empty());
}

INSTANTIATE_TEST_SUITE_P(Models, MarianFiles,
                         ::testing::Values(Case{"marian-firefox", ComputeType::kFloat32},
                                           Case{"marian-firefox", ComputeType::kBFloat16},
                                           Case{"marian-firefox", ComputeType::kInt8},
                                           Case{"marian-ssru", ComputeType::kInt8},
                                           Case{"marian-npz", ComputeType::kFloat32},
                                           Case{"marian-npz", ComputeType::kInt8},
                                           Case{"marian-bin", ComputeType::kBFloat16}),
                         [](const auto& info) {
                           std::string name = std::string(info.param.model) + "_" +
                                              ComputeTypeName(info.param.compute_type);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace dragoman
