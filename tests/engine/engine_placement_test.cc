// Checks on which processors the workers of an engine run, as the operating system reports it.
#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/base/on_cpus.h"
#include "tests/engine/support/bundled_engine.h"

namespace dragoman::engine {
namespace {

std::vector<int> Allowed() {
  std::vector<int> cpus;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  EXPECT_EQ(sched_getaffinity(0, sizeof(mask), &mask), 0);
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &mask)) cpus.push_back(i);
  }
  return cpus;
}

// Returns the number of this process's threads for each list of allowed processors.
std::map<std::string, int> ThreadsByCpus() {
  std::map<std::string, int> threads;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(entry.path() / "status");
    const std::string name = "Cpus_allowed_list:\t";
    for (std::string line; std::getline(status, line);) {
      if (line.rfind(name, 0) == 0) ++threads[line.substr(name.size())];
    }
  }
  return threads;
}

class EnginePlacement : public testing::BundledEngine {
 protected:
  const std::string text_ = "Guten Morgen! Wie geht es dir?";
};

TEST_F(EnginePlacement, WorkersStayOnTheirProcessors) {
  const std::vector<int> allowed = Allowed();
  if (allowed.size() < 2) GTEST_SKIP() << "skipped: one processor only";
  Start();
  const std::string translation = Text(text_);
  const int64_t weights = engine_->Stats().memory.front().weights;
  engine_.reset();

  const std::string last = absl::StrCat(allowed.back());
  const int before = ThreadsByCpus()[last];
  EngineConfig config;
  config.workers = 2;
  config.placement = {{0, {allowed.back()}}, {0, {allowed.back()}}};
  Start(config);
  // Each of the two workers has an encoder thread and a decode thread, and one helper thread serves
  // both.
  EXPECT_EQ(ThreadsByCpus()[last] - before, 5);
  EXPECT_EQ(Text(text_), translation);
  EXPECT_EQ(engine_->Stats().memory.size(), 1U);
  EXPECT_EQ(engine_->Stats().memory.front().weights, weights);  // one node: no second copy
  EXPECT_EQ(engine_->info().device, "cpu");
}

// The nodes of this placement need not exist on this machine.
TEST_F(EnginePlacement, EachNodeHasItsWeights) {
  Start();
  const std::string translation = Text(text_);
  const DeviceMemory one = engine_->Stats().memory.front();
  engine_.reset();

  const int cpu = Allowed().front();
  EngineConfig config;
  config.workers = 3;
  config.placement = {{0, {cpu}}, {1, {cpu}}, {1, {cpu}}};
  config.max_threads_per_worker = 1;
  Start(config);
  EXPECT_EQ(engine_->Stats().memory.size(), 1U);
  const DeviceMemory two = engine_->Stats().memory.front();
  EXPECT_EQ(two.weights, 2 * one.weights);
  // Vocabularies and tokenizer exist only once, whatever the number of nodes.
  LoadContext load;
  ASSERT_TRUE(CreateEngine(testing::kBundledModel, {}, &clock_, &observer_, &load).ok());
  const int64_t text = load.memory().kept();
  EXPECT_GT(text, 0);
  EXPECT_EQ(two.workspace - text, 3 * (one.workspace - text));
  EXPECT_EQ(engine_->info().device, "cpu");
  EXPECT_EQ(engine_->Stats().live_workers, 3);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(Text(text_), translation);
}

TEST_F(EnginePlacement, PlacesThatCannotBeAreRefused) {
  EngineConfig config;
  config.workers = 2;
  config.placement = {{0, {Allowed().front()}}};
  auto engine = CreateEngine(testing::kBundledModel, config, &clock_, &observer_);
  EXPECT_EQ(engine.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(engine.status().message().find("found 1 places, expected 2"), std::string::npos);

  config.workers = 1;
  config.placement = {{0, {100'000}}};
  engine = CreateEngine(testing::kBundledModel, config, &clock_, &observer_);
  EXPECT_EQ(engine.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(engine.status().message().find("processors 100000"), std::string::npos);
}

TEST(OnCpus, ThrowsWhatTheWorkThrowsAndChangesNothingElse) {
  const std::vector<int> before = Allowed();
  const auto fails = [] { throw std::runtime_error("of the work"); };
  EXPECT_THROW((void)OnCpus({before.front()}, fails), std::runtime_error);
  EXPECT_THROW((void)OnCpus({}, fails), std::runtime_error);
  std::vector<int> there;
  EXPECT_TRUE(OnCpus({before.back()}, [&] { there = Allowed(); }).ok());
  EXPECT_EQ(there, std::vector<int>{before.back()});
  EXPECT_EQ(Allowed(), before);
}

}  // namespace
}  // namespace dragoman::engine
