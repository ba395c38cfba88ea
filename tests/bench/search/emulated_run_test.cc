// Runs on an emulated GPU, through the backend that a GPU has.
#include <gtest/gtest.h>

#include <utility>

#include "tests/bench/search/run.h"
#include "tests/bench/search/schedules.h"
#include "tests/bench/search/searches.h"
#include "tests/engine/decode/cuda/emulated_backend.h"

namespace dragoman::bench {
namespace {

// Batches of two shapes, each with its backend; schedules change no bit.
TEST(SearchRunOnEmulatedCuda, SchedulesAndShapesChangeNothing) {
  const BenchModel model(DRAGOMAN_SOURCE_DIR "/deploy/models/de-en");
  const auto image =
      engine::MakeWeightImage(model.program(), model.weights(), kernels::ComputeType::kFloat16);
  ASSERT_TRUE(image.ok()) << image.status();
  int made = 0;
  Runner runner(&model, [&](const engine::BatchConfig& batch) {
    ++made;
    engine::CudaBackendConfig config;
    config.batch = batch;
    return engine::CreateEmulatedCudaBackend(config, model.program(), *image);
  });
  const auto sources =
      model.Encode(JoinLines(ReadLines(DRAGOMAN_SOURCE_DIR "/tests/data/german.txt"), 4, 1, 1, 1));
  const std::vector<Task> tasks = model.Tasks(sources, Variable(3, 1.5F, 2));
  const RunResult batches = runner.Run(
      OfSegments(engine::RefillRule::kStatic, engine::WindowOrder::kLongestFirst, 2, 3, 4), tasks);
  const RunResult stream = runner.Run(Streaming(2, 3, 4, 6), tasks);
  const RunResult all = runner.Run(TopUpByRows(4, 3, engine::WindowOrder::kArrival, 4), tasks);
  EXPECT_EQ(FirstDifference(batches, stream), -1);
  EXPECT_EQ(FirstDifference(batches, all), -1);
  EXPECT_EQ(stream.row_steps, batches.row_steps);
  EXPECT_EQ(all.row_steps, batches.row_steps);
  EXPECT_LT(all.steps, batches.steps);
  EXPECT_EQ(made, 2);
}

}  // namespace
}  // namespace dragoman::bench
