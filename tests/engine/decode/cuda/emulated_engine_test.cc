// Runs complete engines on an emulated GPU and compares their translations with the CPU's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/create_engine.h"
#include "engine/model/layouts/ensemble_source.h"
#include "engine/network/ensemble_program.h"
#include "tests/engine/decode/cuda/emulated_backend.h"
#include "tests/engine/decode/cuda/emulated_engine.h"
#include "tests/engine/support/fakes.h"
#include "tests/engine/support/mixed_requests.h"
#include "tests/engine/support/translate_all.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::HasSubstr;

constexpr char kModel[] = DRAGOMAN_SOURCE_DIR "/deploy/models/de-en";
constexpr int kMaxRows = 40;

class EmulatedEngine : public ::testing::Test {
 protected:
  static testing::FakeClock& Clock() {
    static testing::FakeClock clock;
    return clock;
  }
  static testing::CountingObserver& Observer() {
    static testing::CountingObserver observer;
    return observer;
  }

  static std::unique_ptr<Engine> OnCpu(const std::string& model = kModel,
                                       const EngineConfig& config = {}) {
    auto engine = ExpectOk(CreateEngine(model, config, &Clock(), &Observer()));
    return *std::move(engine);
  }

  static LoadedModel Load(const std::string& model = kModel) {
    auto loaded = ExpectOk(LoadModel(model));
    return *std::move(loaded);
  }

  static WeightImage ImageOf(const LoadedModel& loaded, kernels::ComputeType type) {
    auto image = ExpectOk(MakeWeightImage(loaded.program, *loaded.weights, type));
    return *std::move(image);
  }

  static CudaBackendConfig ConfigFor(const ModelSpec& spec, int max_rows) {
    return EmulatedBackendConfig(spec, {.max_rows = max_rows});
  }

  static std::unique_ptr<Engine> OnDevice(kernels::ComputeType type,
                                          const std::string& model = kModel,
                                          const CudaOptions& options = {}) {
    return Started(StartEmulatedEngine(Load(model),
                                       {.type = type, .options = options, .max_rows = kMaxRows},
                                       &Clock(), &Observer()));
  }

  // Starts an ensemble, joined as the engine joins it for a GPU (engine/worker_places.cc).
  static std::unique_ptr<Engine> OnDevice(kernels::ComputeType type, const std::string& first,
                                          const EnsembleChoice& ensemble) {
    std::vector<std::string> directories = {first};
    directories.insert(directories.end(), ensemble.directories.begin(), ensemble.directories.end());
    auto loaded = ExpectOk(LoadEnsemble(directories));
    std::vector<EnsembleNetwork> members = {
        {loaded->program, loaded->weights, ensemble.weights.at(0)}};
    for (const LoadedNetwork& other : loaded->others) {
      members.push_back({other.program, other.weights, ensemble.weights.at(members.size())});
    }
    const auto program = ExpectOk(JoinPrograms(members, ensemble.mean));
    const auto image = ExpectOk(MakeWeightImage(*program, JoinedWeights(members), type));
    return Started(StartEmulatedEngine(*std::move(loaded), *program, *image,
                                       {.type = type, .max_rows = kMaxRows}, &Clock(),
                                       &Observer()));
  }

  static std::unique_ptr<Engine> Started(absl::StatusOr<std::unique_ptr<Engine>> engine) {
    EXPECT_TRUE(engine.ok()) << engine.status();
    return *std::move(engine);
  }
};

// In float32 the sums differ only by their order. These requests have no decision that depends on
// it.
TEST_F(EmulatedEngine, InFloat32EveryMethodTranslatesAsOnTheCpu) {
  const auto jobs = testing::MixedJobs(2 * testing::MixedRequests::kKinds, 3);
  const auto order = testing::InOrder(jobs.size());
  testing::ExpectSameTranslations(
      jobs, testing::TranslateTogether(*OnDevice(kernels::ComputeType::kFloat32), jobs, order),
      testing::TranslateTogether(*OnCpu(), jobs, order));
}

// Networks that differ from the bundled model's. T5 has RMS norms, biases by distance, gates, and
// heads whose total width exceeds the model's. Marian's students have a recurrence instead of
// self-attention.
TEST_F(EmulatedEngine, OtherNetworksTranslateAsOnTheCpuAndAloneAsInCompany) {
  EngineConfig float32;
  float32.devices.compute_type = kernels::ComputeType::kFloat32;
  struct Case {
    std::string name;
    std::string target_language;
    kernels::ComputeType half;
  };
  for (const Case& of : {Case{"tiny-t5", "de", kernels::ComputeType::kBFloat16},
                         {"tiny-madlad", "de", kernels::ComputeType::kBFloat16},
                         {"marian-ssru", "", kernels::ComputeType::kFloat16},
                         {"marian-firefox", "", kernels::ComputeType::kBFloat16}}) {
    const std::string model = DRAGOMAN_SOURCE_DIR "/tests/data/models/" + of.name;
    std::vector<TranslationJob> jobs = testing::SentenceJobs(6, {1, 4, 6});
    for (TranslationJob& job : jobs) job.target_language = of.target_language;
    const auto order = testing::InOrder(jobs.size());
    testing::ExpectSameTranslations(
        jobs,
        testing::TranslateTogether(*OnDevice(kernels::ComputeType::kFloat32, model), jobs, order),
        testing::TranslateTogether(*OnCpu(model, float32), jobs, order));
    const auto alone = testing::ExpectTheSameInCompany(*OnDevice(of.half, model), jobs);
    EXPECT_GT(testing::CountTexts(alone), 0U) << of.name;
  }
}

// The members of an ensemble differ in heads, layers and weights, and share the pages, the graph
// and the fold. Requests of every method must give the CPU's translations, and the same results in
// a batch as alone.
TEST_F(EmulatedEngine, EnsemblesTranslateAsOnTheCpuAndAloneAsInCompany) {
  const std::string models = DRAGOMAN_SOURCE_DIR "/tests/data/models/";
  std::vector<TranslationJob> jobs = testing::MixedJobs(testing::MixedRequests::kKinds, 7);
  for (TranslationJob& job : jobs) {
    job.returns.scores = true;
    // These models hardly ever end an output with EOS.
    job.decoding.max_output_tokens = std::max(8, job.decoding.min_output_tokens.value_or(0));
  }
  for (const kernels::MeanKind mean :
       {kernels::MeanKind::kProbability, kernels::MeanKind::kLogProbability}) {
    EngineConfig config;
    config.devices.compute_type = kernels::ComputeType::kFloat32;
    config.ensemble = {{models + "tiny-a3", models + "tiny-a"}, {3, 2, 1}, mean};
    const auto expected = testing::TranslateTogether(*OnCpu(models + "tiny-a", config), jobs,
                                                     testing::InOrder(jobs.size()));
    const auto engine =
        OnDevice(kernels::ComputeType::kFloat32, models + "tiny-a", config.ensemble);
    testing::ExpectSameTranslations(
        jobs, testing::TranslateTogether(*engine, jobs, testing::InOrder(jobs.size())), expected);
    const auto alone = testing::ExpectTheSameInCompany(
        *OnDevice(kernels::ComputeType::kFloat16, models + "tiny-a", config.ensemble), jobs);
    for (size_t i = 0; i < jobs.size(); ++i) EXPECT_EQ(alone[i].status, expected[i].status);
  }
}

// Turning graphs or early launches off makes steps slower but does not change the results.
TEST_F(EmulatedEngine, WithoutGraphsAndEarlyLaunchesItTranslatesTheSame) {
  const std::string model = DRAGOMAN_SOURCE_DIR "/tests/data/models/tiny-a";
  const std::vector<TranslationJob> jobs = testing::SentenceJobs(6, {1, 4, 6});
  const auto order = testing::InOrder(jobs.size());
  const auto expected =
      testing::TranslateTogether(*OnDevice(kernels::ComputeType::kFloat16, model), jobs, order);
  for (const CudaOptions& options :
       {CudaOptions{.graphs = false}, CudaOptions{.early_launch = false}}) {
    testing::ExpectSameToTheBit(
        jobs,
        testing::TranslateTogether(*OnDevice(kernels::ComputeType::kFloat16, model, options), jobs,
                                   order),
        expected);
    EXPECT_GT(testing::CountTexts(expected), 0U);
  }
}

// Output products are quantized row by row, so a request gives bit for bit the same result in a
// batch as alone. Its log-probs are close to those of the CPU but differ from them.
TEST_F(EmulatedEngine, QuantizedOutputProductsTranslateAloneAsInCompany) {
  std::vector<TranslationJob> jobs = testing::SentenceJobs(3, {1, 4});
  for (TranslationJob& job : jobs) job.decoding.max_output_tokens = 6;
  EngineConfig float32;
  float32.devices.compute_type = kernels::ComputeType::kFloat32;
  const auto wide =
      testing::TranslateTogether(*OnCpu(kModel, float32), jobs, testing::InOrder(jobs.size()));
  for (const kernels::QuantizedType quantized :
       {kernels::QuantizedType::kInt8, kernels::QuantizedType::kFloat8}) {
    SCOPED_TRACE(kernels::QuantizedTypeName(quantized));
    const auto engine =
        OnDevice(kernels::ComputeType::kFloat16, kModel, {.output_products = quantized});
    const auto alone = testing::ExpectTheSameInCompany(*engine, jobs);
    double most = 0;
    for (size_t i = 0; i < jobs.size(); ++i) {
      ASSERT_TRUE(alone[i].status.ok()) << alone[i].status;
      ASSERT_FALSE(wide[i].hypotheses.empty()) << wide[i].status;
      if (alone[i].hypotheses[0].tokens != wide[i].hypotheses[0].tokens) continue;
      const double differs = alone[i].hypotheses[0].log_prob - wide[i].hypotheses[0].log_prob;
      most = std::max(most, std::abs(differs));
    }
    EXPECT_GT(most, 1e-3);  // more than the error of float16
    EXPECT_LT(most, 0.5);
  }
}

// The products of the layers run in int8. Steps with few rows and with many use different kernels.
// A request gives bit for bit the same result in a batch as alone, but not the result of float16.
TEST_F(EmulatedEngine, LayersInInt8TranslateAloneAsInCompany) {
  const std::string model = DRAGOMAN_SOURCE_DIR "/tests/data/models/tiny-a";
  std::vector<TranslationJob> jobs = testing::SentenceJobs(8, {1, 4});
  for (TranslationJob& job : jobs) job.decoding.max_output_tokens = 6;
  const auto wide = testing::TranslateTogether(*OnDevice(kernels::ComputeType::kFloat16, model),
                                               jobs, testing::InOrder(jobs.size()));
  const auto engine = OnDevice(kernels::ComputeType::kFloat16, model,
                               {.layer_products = kernels::QuantizedType::kInt8});
  const auto alone = testing::ExpectTheSameInCompany(*engine, jobs);
  size_t as_wide = 0;
  for (size_t i = 0; i < jobs.size(); ++i) {
    ASSERT_TRUE(alone[i].status.ok()) << alone[i].status;
    ASSERT_TRUE(wide[i].status.ok()) << wide[i].status;
    as_wide += testing::SameToTheBit(alone[i], wide[i]) ? 1 : 0;
  }
  EXPECT_LT(as_wide, jobs.size());
}

TEST_F(EmulatedEngine, T5IsRefusedInFloat16WithTheReason) {
  const LoadedModel loaded = Load(DRAGOMAN_SOURCE_DIR "/tests/data/models/tiny-t5");
  const auto image =
      MakeWeightImage(loaded.program, *loaded.weights, kernels::ComputeType::kFloat16);
  EXPECT_EQ(image.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(image.status().ToString(),
              HasSubstr("found float16, expected bfloat16 or float32: activations of this model"));
}

// Some steps use both the fused output layer and materialized logits, and the number of rows
// changes. Each request gives bit for bit its result alone.
TEST_F(EmulatedEngine, InFloat16NothingDependsOnWhatIsBesideIt) {
  std::vector<TranslationJob> jobs = testing::SentenceJobs(3, {1, 4, 20});
  for (TranslationJob& job : testing::MixedJobs(6, 5)) jobs.push_back(std::move(job));
  const auto alone =
      testing::ExpectTheSameInCompany(*OnDevice(kernels::ComputeType::kFloat16), jobs);
  EXPECT_GT(testing::CountTexts(alone), 0U);
  const auto expected = testing::TranslateTogether(*OnCpu(), jobs, testing::InOrder(jobs.size()));
  EXPECT_EQ(alone[1].hypotheses.at(0).text, expected[1].hypotheses.at(0).text);
  EXPECT_NEAR(alone[1].hypotheses.at(0).log_prob, expected[1].hypotheses.at(0).log_prob, 0.05);
}

// If a row has the same bits only within two classes of row counts, the log says so.
TEST_F(EmulatedEngine, SaysThatProductsHaveTwoClassesOfRowCounts) {
  const LoadedModel loaded = Load();
  const WeightImage image = ImageOf(loaded, kernels::ComputeType::kFloat32);
  const auto notes = [&] {
    const auto backend = ExpectOk(
        CreateEmulatedCudaBackend(ConfigFor(loaded.spec, kMaxRows), loaded.program, image));
    EXPECT_EQ((*backend)->info().device_name, "emulated");
    return (*backend)->info().notes;
  };
  EXPECT_THAT(notes(), ::testing::IsEmpty());
  SetEmulatedOtherBits(64);
  EXPECT_THAT(notes(), ::testing::ElementsAre(::testing::MatchesRegex(
                           "no algorithm of cuBLASLt for [0-9]+ of the products gives a row "
                           "the same bits in every row count: .* \\(from 64 rows on\\)")));
  SetEmulatedOtherBits(0);
}

// Every emulated launch takes 125 us, so the times in the table count launches.
TEST_F(EmulatedEngine, ProfilesAFullStep) {
  const LoadedModel loaded = Load();
  CudaBackendConfig config = ConfigFor(loaded.spec, 10);  // two segments of beam 4
  config.memory_fraction = 0.5;
  for (const kernels::ComputeType type :
       {kernels::ComputeType::kFloat16, kernels::ComputeType::kFloat32}) {
    const auto table =
        ExpectOk(ProfileEmulatedCudaSteps(config, loaded.program, ImageOf(loaded, type), 1));
    EXPECT_THAT(*table,
                HasSubstr("\n8 rows, 2 slots, 16.0 self positions, 30.0 source positions, "));
    EXPECT_THAT(*table, HasSubstr("\nbegin step                1      125.0 "));
    EXPECT_THAT(*table, HasSubstr("\nself-attention            2      250.0 "));
    EXPECT_THAT(*table, HasSubstr("\nbeam step                 1      125.0 "));
    const bool fused = type != kernels::ComputeType::kFloat32;
    EXPECT_EQ(table->find("\nfused output") != std::string::npos, fused);
    EXPECT_EQ(table->find("\nlogits                    1      125.0 ") != std::string::npos,
              !fused);
    // The nodes of two layers and of the other lines of the table. The fused output layer has two
    // kernels.
    EXPECT_THAT(*table, HasSubstr(fused ? "\n32 nodes in the graph of a step\n"
                                        : "\n33 nodes in the graph of a step\n"));
    EXPECT_EQ(table->find("\nno fused output layer: float32") != std::string::npos, !fused);
  }
}

// Measured steps run one graph after another. Their segments advance by one position in each step
// and end at the expected position.
TEST_F(EmulatedEngine, TimesStepsAsTheyAreMade) {
  const LoadedModel loaded = Load();
  CudaBackendConfig config = ConfigFor(loaded.spec, 10);
  config.memory_fraction = 0.5;
  for (const bool graphs : {true, false}) {
    config.options.graphs = graphs;
    const auto time = ExpectOk(TimeEmulatedCudaSteps(
        config, loaded.program, ImageOf(loaded, kernels::ComputeType::kFloat16), 5));
    EXPECT_EQ(time->rows, 8);
    EXPECT_EQ(time->nodes, graphs ? 32 : 0);
    EXPECT_EQ(time->self_positions, 15 + 2 + 3);
    EXPECT_TRUE(time->fused);
    EXPECT_NEAR(time->seconds, 125e-6 / 5, 1e-9);  // the emulated clock adds one launch's time
  }
}

}  // namespace
}  // namespace dragoman::engine
