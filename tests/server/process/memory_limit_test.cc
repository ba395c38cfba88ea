#include "server/process/memory_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <string>

#include "tests/support/temp_directory.h"

namespace dragoman::server {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

class MemoryLimitTest : public ::testing::Test {
 protected:
  MemoryLimitTest() {
    Write("/proc/meminfo",
          "MemTotal:       8388608 kB\nMemFree:         100000 kB\nMemAvailable:   4194304 kB\n");
    Write("/proc/self/status", "Name:\tx\nVmSize:\t  102400 kB\nVmData:\t  51200 kB\n");
  }
  void Write(const std::string& path, const std::string& text) {
    directory_.Write(path.substr(1), text);
  }
  void Group(const std::string& line) { Write("/proc/self/cgroup", line + "\n"); }

  const TempDirectory directory_;
  const std::string root_ = directory_.path();
};

TEST_F(MemoryLimitTest, IsTheMachinesWithoutGroups) {
  const MemoryLimits limits = FindMemoryLimits(root_, 0, 0);
  EXPECT_EQ(limits.most.bytes, 8192 * kMiB);
  EXPECT_EQ(limits.most.source, "the machine");
  EXPECT_EQ(limits.now.bytes, 4096 * kMiB);
}

TEST_F(MemoryLimitTest, TheLeastOfNestedGroupsHolds) {
  Group("0::/kubepods/pod1/container");
  Write("/sys/fs/cgroup/kubepods/pod1/container/memory.max", "max\n");
  Write("/sys/fs/cgroup/kubepods/pod1/memory.max", "2147483648\n");
  Write("/sys/fs/cgroup/kubepods/pod1/memory.current", "1610612736\n");
  Write("/sys/fs/cgroup/kubepods/pod1/memory.stat",
        "anon 5\ninactive_file 268435456\nactive_file 268435456\n");
  Write("/sys/fs/cgroup/kubepods/memory.max", "4294967296\n");
  const MemoryLimits limits = FindMemoryLimits(root_, 0, 0);
  EXPECT_EQ(limits.most.bytes, 2048 * kMiB);
  EXPECT_EQ(limits.most.source, "the cgroup /kubepods/pod1");
  // 1,536 MiB are in use, but 512 MiB of these are page cache and can be reclaimed.
  EXPECT_EQ(limits.now.bytes, 1024 * kMiB);
  EXPECT_EQ(limits.now.source, "the cgroup /kubepods/pod1");
}

// Memory that the process itself holds is not subtracted: the caller counts it.
TEST_F(MemoryLimitTest, OnlyWhatOthersHoldIsTakenOff) {
  Write("/proc/self/status", "Name:\tx\nRssAnon:\t  524288 kB\nRssFile:\t  102400 kB\n");
  EXPECT_EQ(FindMemoryLimits(root_, 0, 0).now.bytes, (4096 + 512) * kMiB);
  Write("/proc/meminfo", "MemTotal:       8388608 kB\nMemAvailable:   8388000 kB\n");
  EXPECT_EQ(FindMemoryLimits(root_, 0, 0).now.bytes, 8192 * kMiB);
  Group("0::/");
  Write("/sys/fs/cgroup/memory.max", "2147483648\n");
  Write("/sys/fs/cgroup/memory.current", "1610612736\n");
  Write("/sys/fs/cgroup/memory.stat", "inactive_file 268435456\nactive_file 0\n");
  EXPECT_EQ(FindMemoryLimits(root_, 0, 0).now.bytes, (2048 - (1536 - 256 - 512)) * kMiB);
}

TEST_F(MemoryLimitTest, InAContainerTheGroupIsTheMountsRoot) {
  Group("0::/");
  Write("/sys/fs/cgroup/memory.max", "1073741824\n");
  EXPECT_EQ(FindMemoryLimits(root_, 0, 0).most.bytes, 1024 * kMiB);
  EXPECT_EQ(FindMemoryLimits(root_, 0, 0).most.source, "the cgroup /");
}

TEST_F(MemoryLimitTest, ReadsTheFirstVersionToo) {
  Group("9:cpu,cpuacct:/a\n4:memory:/docker/1\n0::/");
  Write("/sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes", "3221225472\n");
  Write("/sys/fs/cgroup/memory/docker/1/memory.usage_in_bytes", "1073741824\n");
  Write("/sys/fs/cgroup/memory/docker/1/memory.stat",
        "inactive_file 1\ntotal_inactive_file 536870912\ntotal_active_file 0\n");
  Write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  const MemoryLimits limits = FindMemoryLimits(root_, 0, 0);
  EXPECT_EQ(limits.most.bytes, 3072 * kMiB);
  EXPECT_EQ(limits.now.bytes, 2560 * kMiB);
}

TEST_F(MemoryLimitTest, ALimitAboveTheMachinesIsNone) {
  Group("4:memory:/");
  Write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(FindMemoryLimits(root_, 0, 0).most.source, "the machine");
}

TEST_F(MemoryLimitTest, NothingReadableIsNoLimit) {
  EXPECT_GT(FindMemoryLimits(root_ + "/nothing", 0, 0).most.bytes, int64_t{1} << 60);
}

// Runs in its own process, because a limit on address space cannot be raised again.
TEST_F(MemoryLimitTest, OfTheAddressSpaceCountsWhatIsLeft) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need terabytes of it";
#endif
  const auto look = [this] {
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = static_cast<rlim_t>(3000 * kMiB);
    if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(2);
    const MemoryLimits limits = FindMemoryLimits(root_, 0, 400 * kMiB);
    const bool right = limits.most.bytes == (3000 - 100 - 400) * kMiB &&
                       limits.most.source.find("ulimit -v") != std::string::npos &&
                       limits.now.bytes == limits.most.bytes &&
                       FindMemoryLimits(root_, 60 * kMiB, 0).most.bytes == (3000 - 40) * kMiB &&
                       FindMemoryLimits(root_, 160 * kMiB, 0).most.bytes == 3000 * kMiB;
    _exit(right ? 0 : 1);
  };
  EXPECT_EXIT(look(), ::testing::ExitedWithCode(0), "");
}

TEST(CheckThreads, SaysWhenThereAreNotEnough) {
  EXPECT_TRUE(CheckThreads(8).ok());
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need terabytes of address space";
#endif
  const auto look = [] {
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = static_cast<rlim_t>(1500 * kMiB);  // less than a thousand stacks
    if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(2);
    const absl::Status status = CheckThreads(1000);
    const bool told = status.code() == absl::StatusCode::kResourceExhausted &&
                      status.message().find("of 1000 that serving needs") != std::string::npos;
    _exit(told ? 0 : 1);
  };
  EXPECT_EXIT(look(), ::testing::ExitedWithCode(0), "");
}

TEST(MemoryBound, SumsTheHostsPartsAndTheFlags) {
  ServerConfig config;
  config.models.resize(2);
  engine::EngineStats stats;
  stats.memory.push_back({"cpu", "", 100, 2000, 30});
  stats.memory.push_back({"cuda:0", "card", 7, 7, 7});
  const DetectorMemory detector{.held = 9 * kMiB, .loading = 10 * kMiB};
  const std::vector<MemoryPart> parts = MemoryBound(config, detector, stats, 0);
  int64_t engine = 0;
  for (const MemoryPart& part : parts) {
    if (part.name == "loading") {
      EXPECT_EQ(part.bytes, 0);
      continue;
    }
    EXPECT_GT(part.bytes, 0) << part.name;
    if (part.name == "weights" || part.name == "kv" || part.name == "workspaces") {
      engine += part.bytes;
    }
  }
  EXPECT_EQ(engine, 2130);
  EXPECT_EQ(SumOf(parts), SumOf(ServingMemory(config, detector)) + engine);
  EXPECT_EQ(SumOf(parts), SumOf(MemoryBound(config, {}, stats, 0)) + detector.held);
  config.models[1].max_queue_tokens *= 2;
  EXPECT_GT(SumOf(MemoryBound(config, detector, stats, 0)), SumOf(parts));
}

// Memory for loading is used before the first call. It counts only if it exceeds what serving
// needs.
TEST(MemoryBound, LoadingCountsWhereItTakesMoreThanServing) {
  ServerConfig config;
  config.models.resize(1);
  engine::EngineStats stats;
  stats.memory.push_back({"cpu", "", 100 * kMiB, 50 * kMiB, 0});
  const int64_t serving = SumOf(MemoryBound(config, {}, stats, 0));
  EXPECT_EQ(SumOf(MemoryBound(config, {}, stats, 130 * kMiB)), serving);
  const int64_t peak = serving + 500 * kMiB;
  EXPECT_EQ(SumOf(MemoryBound(config, {}, stats, peak)), ProcessBytes() + peak);
  // The detector is loaded before the models, so its memory is held while they load.
  const DetectorMemory small{.held = 9 * kMiB, .loading = 10 * kMiB};
  EXPECT_EQ(SumOf(MemoryBound(config, small, stats, peak)), ProcessBytes() + peak + small.held);
  const DetectorMemory large{.held = 9 * kMiB, .loading = 2 * peak};
  EXPECT_EQ(SumOf(MemoryBound(config, large, stats, peak)), ProcessBytes() + large.loading);
}

}  // namespace
}  // namespace dragoman::server
