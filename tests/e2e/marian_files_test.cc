// Tests model files of Marian in a complete engine, in every compute type, including SSRU decoders
// and lexical shortlists. A request gives bit for bit the same result in a batch of requests of
// every decoding method as alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/create_engine.h"
#include "engine/model/layouts/marian/directory.h"
#include "engine/profile/profile_steps.h"
#include "engine/request/model_tokenizer.h"
#include "tests/engine/support/fakes.h"
#include "tests/engine/support/mixed_requests.h"
#include "tests/engine/support/translate_all.h"
#include "tests/support/expect_ok.h"

namespace dragoman {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Case {
  const char* model = "";
  kernels::ComputeType compute_type = kernels::ComputeType::kFloat32;
  bool shortlist = false;
};

std::string DirectoryOf(const std::string& model) {
  return DRAGOMAN_SOURCE_DIR "/tests/data/models/" + model;
}

class MarianFiles : public ::testing::TestWithParam<Case> {
 protected:
  std::unique_ptr<engine::Engine> Start(int workers) {
    engine::EngineConfig config;
    config.devices.compute_type = GetParam().compute_type;
    config.max_rows = 48;
    config.workers = workers;
    config.lexical_shortlist = GetParam().shortlist;
    auto engine =
        ExpectOk(engine::CreateEngine(DirectoryOf(GetParam().model), config, &clock_, &observer_));
    return *std::move(engine);
  }

  testing::FakeClock clock_;
  testing::CountingObserver observer_;
};

TEST_P(MarianFiles, EveryMethodGivesInCompanyWhatItGivesAlone) {
  const std::unique_ptr<engine::Engine> engine = Start(1);
  const auto jobs = testing::MixedJobs(150, 23);
  const auto alone = testing::ExpectTheSameInCompany(*engine, jobs);
  EXPECT_GE(testing::CountTexts(alone), jobs.size() / 2);  // not all: the weights are random
}

TEST_P(MarianFiles, PrefixesAndAlignmentsAreAsOfOtherModels) {
  const std::unique_ptr<engine::Engine> engine = Start(2);
  engine::TranslationJob job;
  job.contents = {"Die Katze schläft am liebsten auf dem Drucker."};
  job.target_prefixes = {"Die Katze"};
  job.returns.tokens = true;
  job.returns.alignment = true;
  const auto results = testing::TranslateAlone(*engine, {job});
  ASSERT_TRUE(results[0].status.ok()) << results[0].status;
  const engine::Hypothesis& found = results[0].hypotheses.at(0);
  EXPECT_THAT(found.text, StartsWith("Die Katze"));
  EXPECT_FALSE(found.alignment.empty());
}

// Lexical shortlists of a small model whose 240 target words are pieces of a few letters.
class Shortlist : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<engine::Engine>> Start(
      const engine::EngineConfig& config, const std::string& model = "marian-firefox") {
    return engine::CreateEngine(DirectoryOf(model), config, &clock_, &observer_);
  }
  std::unique_ptr<engine::Engine> Start(int workers = 1, int threads = 1) {
    engine::EngineConfig config;
    config.lexical_shortlist = true;
    config.max_rows = 40;
    config.workers = workers;
    config.threads_per_worker = threads;
    auto engine = ExpectOk(Start(config));
    return *std::move(engine);
  }
  std::string Refusal(const engine::EngineConfig& config, const std::string& model,
                      absl::StatusCode code) {
    const absl::Status status = Start(config, model).status();
    EXPECT_EQ(status.code(), code) << status;
    return std::string(status.message());
  }

  testing::FakeClock clock_;
  testing::CountingObserver observer_;
};

// Results do not change with the batch, the number of workers and the number of threads.
TEST_F(Shortlist, BatchesWorkersAndThreadsChangeNothing) {
  const auto jobs = testing::SentenceJobs(200, {1, 4, 12, 4});
  const auto alone = testing::TranslateAlone(*Start(), jobs);
  for (const auto& [workers, threads] : {std::pair{1, 1}, {1, 3}, {2, 2}}) {
    SCOPED_TRACE(::testing::Message() << workers << " workers, " << threads << " threads");
    testing::ExpectSameToTheBit(jobs,
                                testing::TranslateTogether(*Start(workers, threads), jobs,
                                                           testing::Shuffled(jobs.size(), 5)),
                                alone);
  }
}

TEST_F(Shortlist, TranslationsHoldItsWordsOnly) {
  const auto model = ExpectOk(engine::LoadModel(DirectoryOf("marian-firefox")));
  const auto shortlist =
      ExpectOk(engine::ReadMarianShortlist(DirectoryOf("marian-firefox"), *model));
  const auto jobs = testing::SentenceJobs(60, {4, 12});
  const auto without = ExpectOk(Start(engine::EngineConfig()));
  const auto all = testing::TranslateAlone(**without, jobs);
  const auto some = testing::TranslateAlone(*Start(), jobs);
  const auto tokenizer = ExpectOk(engine::MakeTokenizer(*model));
  size_t tokens = 0;
  size_t outside = 0;
  for (size_t i = 0; i < jobs.size(); ++i) {
    const auto words = shortlist->WordsFor((*tokenizer)->EncodeSource(jobs[i].contents[0]).ids, {});
    const auto count_outside = [&](const engine::ItemResult& result) {
      size_t count = 0;
      for (const engine::Hypothesis& hypothesis : result.hypotheses) {
        for (const std::string& piece : hypothesis.tokens) {
          const int id = model->TargetVocabulary().IdOf(piece).value_or(-1);
          count += std::binary_search(words.begin(), words.end(), id) ? 0 : 1;
          ++tokens;
        }
      }
      return count;
    };
    EXPECT_EQ(count_outside(some[i]), 0U) << jobs[i].contents[0];
    outside += count_outside(all[i]);
  }
  EXPECT_GT(tokens, 2000U);
  EXPECT_GT(outside, 500U) << "the lists exclude nothing: nothing was shown";
}

// The words of a required phrase are candidates in the search even if the shortlist lacks them.
TEST_F(Shortlist, WhatIsAskedForIsThere) {
  const std::unique_ptr<engine::Engine> engine = Start();
  std::vector<engine::TranslationJob> jobs;
  const std::vector<std::string> phrases = {"Drucker", "Schatten", "Himbeere", "Wunder",
                                            "Flugzeug"};
  for (const std::string& phrase : phrases) {
    for (const int beam : {1, 4, 8}) {
      engine::TranslationJob job;
      job.contents = {"Die Katze ist da."};
      job.decoding.beam_size = beam;
      job.decoding.max_output_tokens = 40;
      jobs.push_back(job);
      jobs.back().target_prefixes = {phrase};
      if (beam == 1) continue;
      jobs.push_back(job);
      jobs.back().decoding.required_phrases = {{phrase}};
      jobs.push_back(job);
      jobs.back().terms = {{"Katze", phrase, false}};
    }
  }
  const auto alone = testing::ExpectTheSameInCompany(*engine, jobs, 3);
  const size_t each = jobs.size() / phrases.size();
  for (size_t i = 0; i < jobs.size(); ++i) {
    ASSERT_TRUE(alone[i].status.ok()) << alone[i].status;
    EXPECT_THAT(alone[i].hypotheses.at(0).text, HasSubstr(phrases[i / each])) << i;
  }
}

TEST_F(Shortlist, IsRefusedWhereThereIsNone) {
  engine::EngineConfig config;
  config.lexical_shortlist = true;
  EXPECT_THAT(Refusal(config, "marian-ssru", absl::StatusCode::kNotFound),
              AllOf(StartsWith("lexical-shortlist: "), HasSubstr("marian-ssru"),
                    HasSubstr("found no shortlist, expected lex.*.bin")));
  EXPECT_THAT(Refusal(config, "tiny-a", absl::StatusCode::kUnimplemented),
              HasSubstr("found a model in the layout huggingface, expected Marian's files"));
  engine::EngineConfig on_gpu = config;
  on_gpu.devices.cuda = {0};
  EXPECT_THAT(Refusal(on_gpu, "marian-firefox", absl::StatusCode::kUnimplemented),
              HasSubstr("found the device cuda:0, expected the CPU"));
  engine::EngineConfig several = config;
  several.ensemble.directories = {DirectoryOf("marian-firefox")};
  EXPECT_THAT(Refusal(several, "marian-firefox", absl::StatusCode::kUnimplemented),
              HasSubstr("found an ensemble, expected one model"));
  EXPECT_THAT(std::string(engine::ProfileSteps(DirectoryOf("marian-firefox"), config, 1, &clock_)
                              .status()
                              .message()),
              HasSubstr("profile: found lexical-shortlist on"));
}

INSTANTIATE_TEST_SUITE_P(
    Models, MarianFiles,
    ::testing::Values(Case{"marian-firefox", kernels::ComputeType::kFloat32},
                      Case{"marian-firefox", kernels::ComputeType::kBFloat16},
                      Case{"marian-firefox", kernels::ComputeType::kInt8},
                      Case{"marian-firefox", kernels::ComputeType::kFloat32, true},
                      Case{"marian-firefox", kernels::ComputeType::kBFloat16, true},
                      Case{"marian-firefox", kernels::ComputeType::kInt8, true},
                      Case{"marian-ssru", kernels::ComputeType::kInt8},
                      Case{"marian-npz", kernels::ComputeType::kFloat32},
                      Case{"marian-npz", kernels::ComputeType::kInt8},
                      Case{"marian-bin", kernels::ComputeType::kBFloat16}),
    [](const auto& info) {
      std::string name = std::string(info.param.model) + "_" +
                         kernels::ComputeTypeName(info.param.compute_type) +
                         (info.param.shortlist ? "_shortlist" : "");
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

}  // namespace
}  // namespace dragoman
