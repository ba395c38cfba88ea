// Tests of an ensemble that is made from the bundled model: its members must differ, and the
// benchmark must search with all of them.
#include "tests/bench/search/seeded_members.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "tests/bench/search/run.h"
#include "tests/bench/search/schedules.h"
#include "tests/bench/search/searches.h"
#include "tests/bench/search/subcommands.h"
#include "tests/engine/support/all_weights.h"
#include "tests/support/expect_ok.h"
#include "tests/support/temp_directory.h"

namespace dragoman::bench {
namespace {

constexpr char kBundled[] = DRAGOMAN_SOURCE_DIR "/deploy/models/de-en";

std::vector<float> Numbers(const engine::EnsembleNetwork& member, engine::WeightId id) {
  const engine::Weight& weight = member.program.weights[static_cast<size_t>(id)];
  std::vector<float> values(static_cast<size_t>(weight.elements()));
  EXPECT_TRUE(member.weights->Read(id, 0, weight.rows, values.data()).ok());
  return values;
}

TEST(SeededMembers, HaveTheNoiseThatWasAskedForAndRepeatIt) {
  const engine::LoadedModel loaded = *engine::LoadModel(kBundled);
  const auto members =
      ExpectOk(SeededMembers(loaded, {.count = 2, .noise_percent = 10, .seed = 7}));
  ASSERT_EQ(members->size(), 2U);
  const auto second = ExpectOk(SeededMembers(loaded, {.count = 1, .noise_percent = 10, .seed = 8}));
  const engine::WeightId id = loaded.program.output().table;
  const std::vector<float> trained = engine::WeightOf(loaded, id);
  const std::vector<float> noisy = Numbers((*members)[0], id);
  EXPECT_NE(noisy, Numbers((*members)[1], id));
  EXPECT_EQ(Numbers((*second)[0], id), Numbers((*members)[1], id));
  double squares = 0;
  double noise = 0;
  for (size_t i = 0; i < trained.size(); ++i) {
    squares += std::pow(double{trained[i]}, 2);
    noise += std::pow(double{noisy[i]} - double{trained[i]}, 2);
  }
  EXPECT_NEAR(std::sqrt(noise / squares), 0.1, 0.001);
}

// Five copies of one model must predict as the model does, except for rounding. Members with noise
// must differ, both alone and together.
TEST(SeededMembers, AreSearchedTogether) {
  const BenchModel one(kBundled);
  const BenchModel copies(kBundled, kernels::ComputeType::kFloat32, {.count = 5});
  const BenchModel first(kBundled, kernels::ComputeType::kFloat32,
                         {.count = 1, .noise_percent = 20});
  const BenchModel both(kBundled, kernels::ComputeType::kFloat32,
                        {.count = 2, .noise_percent = 20});
  EXPECT_EQ(copies.members(), 5);
  const auto sources =
      one.Encode(JoinLines(ReadLines(DRAGOMAN_SOURCE_DIR "/tests/data/german.txt"), 4, 1, 1, 1));
  const RunConfig batch =
      OfSegments(engine::RefillRule::kStatic, engine::WindowOrder::kLongestFirst, 2, 4, 4);
  const auto run = [&](const BenchModel& model) {
    return Runner(&model).Run(batch, model.Tasks(sources, Fixed(4)));
  };
  const RunResult alone = run(one);
  const RunResult five = run(copies);
  EXPECT_EQ(five.row_steps, alone.row_steps);
  for (size_t text = 0; text < sources.size(); ++text) {
    EXPECT_EQ(five.nbest[text].front().tokens, alone.nbest[text].front().tokens);
    EXPECT_NEAR(five.nbest[text].front().score, alone.nbest[text].front().score, 1e-4);
  }
  const RunResult noisy = run(first);
  EXPECT_GE(FirstDifference(noisy, alone), 0);
  EXPECT_GE(FirstDifference(run(both), noisy), 0);
}

TEST(Experiment, OfThreeModelsIsTheSameUnderEverySchedule) {
  const BenchModel model(kBundled, kernels::ComputeType::kFloat32,
                         {.count = 3, .noise_percent = 10});
  const TempDirectory directory;
  const std::string output = directory.path() + "/experiment.tsv";
  std::vector<std::string> words = {"--texts", "3",        "--segments", "2",        "--beam",
                                    "4",       "--rounds", "2",          "--output", output};
  std::vector<char*> pointers;
  pointers.reserve(words.size());
  for (std::string& word : words) pointers.push_back(word.data());
  Arguments arguments(static_cast<int>(pointers.size()), pointers.data(), 0);
  Report report("thread", "float32");
  Runner runner(&model);
  ::testing::internal::CaptureStdout();
  EXPECT_TRUE(RunExperiment(runner, arguments, report));
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), ::testing::HasSubstr("3 models, 3 texts"));
  const nlohmann::json& table = report.json()["tables"].at(0);
  ASSERT_EQ(table["columns"].at(3), "row-steps");
  ASSERT_EQ(table["columns"].at(4), "model-rows");
  ASSERT_EQ(table["rows"].size(), 7U);
  for (const auto& row : table["rows"]) {
    EXPECT_EQ(row.at(4), row.at(3).get<int64_t>() * 3) << row.at(0);
  }
  std::ifstream translations(output);
  std::string line;
  size_t lines = 0;
  for (; std::getline(translations, line); ++lines) {
    EXPECT_EQ(std::count(line.begin(), line.end(), '\t'), 6) << line;
  }
  EXPECT_EQ(lines, 3U);
}

}  // namespace
}  // namespace dragoman::bench
