// Tests an engine on a GPU that is cancelled, that runs for long, or whose device fails.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "kernels/cuda/device.h"
#include "tests/engine/support/collecting_sink.h"
#include "tests/engine/support/translate_all.h"
#include "tests/gpu/device_engine.h"
#include "tests/gpu/device_fault.h"

namespace dragoman::testing {
namespace {

constexpr unsigned kHangSeconds = 60;

class EngineLifeOnCuda : public OnCuda {
 protected:
  // Waits until all workers are idle, and checks that every segment is accounted for. Slots become
  // free within two steps of the last event, so this waits for the loop and not for a fixed time.
  static void ExpectIdle(const engine::Engine& engine) {
    engine::EngineStats stats = engine.Stats();
    while (stats.rows != 0 || stats.kv_self_usage != 0 || stats.kv_cross_usage != 0) {
      std::this_thread::yield();
      stats = engine.Stats();
    }
    EXPECT_EQ(stats.segments.running, 0);
    EXPECT_EQ(stats.segments.waiting, 0);
  }

  static int64_t FreeBytes() {
    kernels::cuda::DeviceInfo info;
    EXPECT_EQ(kernels::cuda::Describe(0, &info), kernels::cuda::Error::kNone);
    return info.free_bytes;
  }
};

TEST_P(EngineLifeOnCuda, CancelledJobsLeaveAndTheOthersAreAsBefore) {
  const auto jobs = Sentences(60, {4});
  const auto engine = StartOnDevice(GetParam());
  const auto alone = TranslateAlone(*engine, jobs);
  std::vector<std::shared_ptr<CollectingSink>> cancelled, kept;
  std::vector<engine::JobId> ids;
  for (const engine::TranslationJob& job : jobs) {
    cancelled.push_back(std::make_shared<CollectingSink>());
    const engine::Admission admission = engine->Translate(LongJob(), cancelled.back());
    ASSERT_TRUE(admission.status.ok()) << admission.status;
    ids.push_back(admission.job);
    kept.push_back(std::make_shared<CollectingSink>());
    ASSERT_TRUE(engine->Translate(job, kept.back()).status.ok());
  }
  // Some jobs are cancelled while they run, the others while they wait.
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i % 2 == 0) cancelled[i]->WaitForUpdates(1);
    engine->Cancel(ids[i], engine::CancelCause::kClient);
    EXPECT_EQ(cancelled[i]->Wait().code(), absl::StatusCode::kCancelled);
  }
  for (size_t i = 0; i < kept.size(); ++i) {
    ASSERT_TRUE(kept[i]->Wait().ok());
    EXPECT_TRUE(SameToTheBit(kept[i]->items().at(0), alone[i])) << jobs[i].contents[0];
  }
  ExpectIdle(*engine);
}

TEST_P(EngineLifeOnCuda, NothingIsAllocatedAfterWarmUp) {
  const auto jobs = Mixed(400, 22);
  const auto engine = StartOnDevice(GetParam());
  const int64_t before = FreeBytes();
  TranslateTogether(*engine, jobs, InOrder(jobs.size()));
  EXPECT_EQ(FreeBytes(), before);
  ExpectIdle(*engine);
}

// Runs in its own process, because the process cannot use the device after a failure.
void FailUnderLoad(kernels::ComputeType type) {
  alarm(HangSeconds(kHangSeconds));  // if the process hangs, a signal ends it
  const auto engine = StartOnDevice(type);
  std::vector<std::shared_ptr<CollectingSink>> sinks;
  const engine::TranslationJob job = LongJob();
  for (size_t i = 0; i < JobCount(100); ++i) {
    sinks.push_back(std::make_shared<CollectingSink>());
    if (!engine->Translate(job, sinks.back()).status.ok()) std::exit(2);
  }
  sinks[0]->WaitForUpdates(1);
  FailDevice();
  // Items that were not translated before the failure must have ended with an error, exactly once.
  int failed = 0;
  for (const auto& sink : sinks) {
    if (!sink->Wait().ok()) {
      ++failed;
    } else {
      for (const engine::ItemResult& item : sink->items()) failed += item.status.ok() ? 0 : 1;
    }
    if (sink->done_calls() != 1) std::exit(3);
  }
  if (failed == 0) std::exit(4);
  while (engine->Stats().live_workers > 0) std::this_thread::yield();
  // Later jobs are refused or fail; they do not hang.
  auto late = std::make_shared<CollectingSink>();
  if (engine->Translate(job, late).status.ok() && late->Wait().ok() &&
      late->items().at(0).status.ok()) {
    std::exit(5);
  }
}

TEST_P(EngineLifeOnCuda, AFailedDeviceEndsItsWorkerAndNothingHangs) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        FailUnderLoad(GetParam());
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

DRAGOMAN_FOR_EVERY_COMPUTE_TYPE(EngineLifeOnCuda);

}  // namespace
}  // namespace dragoman::testing
