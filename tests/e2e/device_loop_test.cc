// Runs the bundled model in the device loop. Requests of every decoding method, with cancelled
// requests between them, must get bit for bit the results of the synchronous loop. The device is a
// thread (tests/engine/support/host_step_device.h) that runs the search code and the protocol of a
// GPU.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "engine/create_loaded_engine.h"
#include "engine/decode/cpu_model.h"
#include "engine/model/layouts/model_source.h"
#include "tests/engine/support/collecting_sink.h"
#include "tests/engine/support/fakes.h"
#include "tests/engine/support/host_device_backend.h"
#include "tests/engine/support/mixed_requests.h"
#include "tests/engine/support/translate_all.h"
#include "tests/support/expect_ok.h"

namespace dragoman {
namespace {

using testing::CollectingSink;
using testing::CountingObserver;
using testing::HostDeviceOptions;
using testing::HostDeviceTotals;

constexpr size_t kRequests = 500;
constexpr size_t kVictims = 125;  // requests to be cancelled, in addition to kRequests

class DeviceLoop : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    jobs_ = new std::vector<engine::TranslationJob>(testing::MixedJobs(kRequests, 21));
    auto loaded = ExpectOk(engine::LoadModel(kModel));
    model_ = new std::shared_ptr<const engine::StepModel>(
        *engine::CreateCpuModel(loaded->program, *loaded->weights));
    CountingObserver observer;
    testing::FakeClock clock;
    auto engine = ExpectOk(engine::CreateEngine(*std::move(loaded), *model_, engine::EngineConfig{},
                                                &clock, &observer));
    expected_ = new std::vector<engine::ItemResult>(
        testing::TranslateTogether(**engine, *jobs_, testing::InOrder(kRequests)));
  }
  static void TearDownTestSuite() {
    delete jobs_;
    delete model_;
    delete expected_;
  }

  std::unique_ptr<engine::Engine> Start(const engine::EngineConfig& config, int devices,
                                        HostDeviceOptions options) {
    options.totals = &totals_;
    auto loaded = ExpectOk(engine::LoadModel(kModel));
    std::vector<engine::WorkerPlace> places;
    for (int i = 0; i < devices; ++i) {
      options.seed = static_cast<unsigned>(i);
      places.push_back({testing::CreateHostDeviceBackend(*model_, options), 1});
    }
    auto engine =
        ExpectOk(engine::CreateEngine(*std::move(loaded), places, config, &clock_, &observer_));
    return std::move(*engine);
  }

  // Returns a request whose decoding takes long.
  static engine::TranslationJob Victim(size_t number) {
    engine::TranslationJob job = (*jobs_)[number * 3];
    job.format = engine::TextFormat::kPlain;
    job.decoding.max_output_tokens.reset();
    job.decoding.min_output_tokens = 120;
    job.target_prefixes.clear();
    return job;
  }

  // Submits all requests with victims between them. Each time that another four requests have
  // finished, cancels the next victim and a random one. Some victims are waiting then and some are
  // running.
  void ExpectTheSameBesideCancellations(engine::Engine& engine, unsigned seed) {
    std::mt19937 random(seed);
    const std::vector<size_t> order = testing::Shuffled(kRequests, seed);
    std::vector<std::shared_ptr<CollectingSink>> sinks(kRequests);
    std::vector<std::shared_ptr<CollectingSink>> victims;
    std::vector<engine::JobId> ids;
    for (size_t i = 0; i < kRequests; ++i) {
      sinks[order[i]] = std::make_shared<CollectingSink>();
      ASSERT_TRUE(engine.Translate((*jobs_)[order[i]], sinks[order[i]]).status.ok());
      if (i % (kRequests / kVictims) != 0) continue;
      victims.push_back(std::make_shared<CollectingSink>());
      const engine::Admission admission =
          engine.Translate(Victim(victims.size() - 1), victims.back());
      ASSERT_TRUE(admission.status.ok()) << admission.status;
      ids.push_back(admission.job);
    }
    for (size_t i = 0; i < kRequests; ++i) {
      ASSERT_TRUE(sinks[order[i]]->Wait().ok());
      if (i % (kRequests / kVictims) == 0) {
        const size_t last = std::min(ids.size(), i / (kRequests / kVictims) + 8);
        engine.Cancel(ids[random() % last], engine::CancelCause::kClient);
        engine.Cancel(ids[i / (kRequests / kVictims)], engine::CancelCause::kClient);
      }
      const engine::ItemResult& found = sinks[order[i]]->items().at(0);
      EXPECT_TRUE(testing::SameToTheBit(found, (*expected_)[order[i]]))
          << "request " << order[i] << ": " << (*jobs_)[order[i]].contents[0];
    }
    for (const auto& victim : victims) {
      const absl::Status status = victim->Wait();
      EXPECT_TRUE(status.ok() || status.code() == absl::StatusCode::kCancelled) << status;
      EXPECT_EQ(victim->done_calls(), 1);
    }
  }

  // Waits until the engine holds nothing and checks that the ledger balances. Then destroys the
  // engine and checks that its devices held nothing.
  void ExpectNothingIsLeft(std::unique_ptr<engine::Engine> engine, int devices) {
    // A cancelled request that occupies a slot leaves it only in one of the next steps.
    engine::EngineStats stats = engine->Stats();
    while (engine->jobs_in_flight() > 0 || stats.kv_cross_usage > 0 || stats.kv_self_usage > 0) {
      std::this_thread::yield();
      stats = engine->Stats();
    }
    EXPECT_EQ(stats.segments.waiting + stats.segments.running + stats.segments.error, 0);
    EXPECT_TRUE(testing::Balanced(stats.segments));
    EXPECT_GT(observer_.cancelled, 20);
    EXPECT_GT(observer_.wasted_tokens, 0) << "nobody was cancelled in a slot";
    engine.reset();
    EXPECT_EQ(totals_.gone, devices);
    EXPECT_GT(totals_.steps, 0);
    EXPECT_EQ(totals_.pages_left, 0);
    EXPECT_EQ(totals_.slots_left, 0);
  }

  static constexpr char kModel[] = DRAGOMAN_SOURCE_DIR "/deploy/models/de-en";

  static std::vector<engine::TranslationJob>* jobs_;
  static std::shared_ptr<const engine::StepModel>* model_;
  static std::vector<engine::ItemResult>* expected_;

  testing::FakeClock clock_;
  CountingObserver observer_;
  HostDeviceTotals totals_;
};

std::vector<engine::TranslationJob>* DeviceLoop::jobs_ = nullptr;
std::shared_ptr<const engine::StepModel>* DeviceLoop::model_ = nullptr;
std::vector<engine::ItemResult>* DeviceLoop::expected_ = nullptr;

TEST_F(DeviceLoop, GivesWhatTheSynchronousLoopGives) {
  engine::EngineConfig config;
  config.max_rows = 96;
  auto engine = Start(config, 1, {.buckets = {8, 16, 32, 64}});
  ExpectTheSameBesideCancellations(*engine, 1);
  ExpectNothingIsLeft(std::move(engine), 1);
}

TEST_F(DeviceLoop, OnTwoDevicesWithFewPages) {
  engine::EngineConfig config;
  config.max_rows = 24;
  config.kv_memory_mb = 32;
  auto engine = Start(config, 2, {.buckets = {1, 2, 4, 12}, .fused_candidates = 4});
  ExpectTheSameBesideCancellations(*engine, 2);
  ExpectNothingIsLeft(std::move(engine), 2);
}

}  // namespace
}  // namespace dragoman
