// Measures the host memory of an engine on the CPU as the operating system reports it.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/schedule/decode_loop.h"
#include "tests/engine/support/bundled_engine.h"

namespace dragoman::engine {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

// Returns the resident bytes of this process.
int64_t Rss() {
  std::ifstream file("/proc/self/smaps_rollup");
  std::string word;
  while (file >> word) {
    int64_t kilobytes = 0;
    if (word == "Rss:" && file >> kilobytes) return kilobytes << 10;
  }
  return 0;
}

class EngineMemory : public testing::BundledEngine {
 protected:
  int64_t KvResident() const { return engine_->Stats().memory.front().kv_resident; }
};

TEST_F(EngineMemory, KvComesWithUseAndGoesWhenNothingIsDecoded) {
  EngineConfig config;
  config.max_rows = 96;
  config.workers = 2;
  Start(config);
  // The workers wake once per second of real time and then measure idle time by the engine's clock.
  const auto wait_until_idle_memory_is_gone = [&] {
    while (KvResident() > 0) {
      clock_.Advance(DecodeLoop::kMemoryPeriod);
      std::this_thread::yield();
    }
  };
  wait_until_idle_memory_is_gone();  // memory that the trial used
  if (Rss() == 0) GTEST_SKIP() << "skipped: no /proc/self/smaps_rollup";

  std::vector<std::string> texts;
  for (int i = 0; i < 100; ++i) {
    texts.push_back(absl::StrCat("Im Jahr ", 1900 + i, " war das Wetter nicht so schlecht, wie ",
                                 "man es heute erzählt, und die Leute gingen oft spazieren."));
  }
  const auto translate = [&] {
    std::vector<std::string> results;
    for (const ItemResult& item : Translate(Job(texts))) {
      results.push_back(item.hypotheses.front().text);
    }
    return results;
  };
  const std::vector<std::string> first = translate();
  const int64_t used = KvResident();
  const int64_t rss = Rss();
  EXPECT_GE(used, 8 * kMiB);

  wait_until_idle_memory_is_gone();
#ifndef __SANITIZE_ADDRESS__  // which keeps what was freed
  EXPECT_LE(Rss(), rss - used * 3 / 4);
#endif

  EXPECT_EQ(translate(), first);
  EXPECT_GE(KvResident(), used / 2);
}

}  // namespace
}  // namespace dragoman::engine
