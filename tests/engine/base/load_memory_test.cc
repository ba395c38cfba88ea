#include "engine/base/load_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace dragoman::engine {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int64_t kMiB = int64_t{1} << 20;

TEST(LoadMemory, WithoutALimitAllIsCounted) {
  LoadMemory memory;
  auto one = memory.Reserve(3 * kMiB, "one");
  ASSERT_TRUE(one.ok());
  {
    const LoadMemory::Hold two = memory.Count(4 * kMiB);
    EXPECT_EQ(memory.held(), 7 * kMiB);
  }
  EXPECT_EQ(memory.held(), 3 * kMiB);
  EXPECT_TRUE(memory.Keep(kMiB, "kept").ok());
  EXPECT_EQ(memory.kept(), kMiB);
  EXPECT_EQ(memory.peak(), 7 * kMiB);
  one->Release();
  one->Release();
  EXPECT_EQ(memory.held(), 0);
}

TEST(LoadMemory, WhatExceedsTheLimitIsRefusedWithTheSum) {
  LoadMemory memory;
  memory.SetLimit(100 * kMiB, "the cgroup /pod has 300 MiB, of which models hold 200 MiB");
  const auto held = memory.Reserve(60 * kMiB, "model.bin");
  ASSERT_TRUE(held.ok());
  ASSERT_TRUE(memory.Keep(30 * kMiB, "vocab.json").ok());
  for (const absl::Status& refused :
       {memory.Reserve(10 * kMiB + 1, "other.bin").status(), memory.Keep(11 * kMiB, "other.bin")}) {
    EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(refused.message()),
                AllOf(HasSubstr("other.bin: takes 11 MiB"), HasSubstr("101 MiB with the 90 MiB"),
                      HasSubstr("expected at most 100 MiB: the cgroup /pod has 300 MiB")));
  }
  EXPECT_EQ(memory.held() + memory.kept(), 90 * kMiB);
  EXPECT_TRUE(memory.Reserve(10 * kMiB, "other.bin").ok());
}

TEST(LoadMemory, NoSumOverflows) {
  LoadMemory memory;
  memory.SetLimit(100, "");
  EXPECT_FALSE(memory.Reserve(INT64_MAX, "all").ok());
  const LoadMemory::Hold some = memory.Count(50);
  EXPECT_THAT(std::string(memory.Reserve(INT64_MAX - 10, "all").status().message()),
              HasSubstr("8796093022208 MiB with the 1 MiB"));
  memory.SetLimit(-5, "");
  EXPECT_FALSE(memory.Reserve(1, "a byte").ok());
}

TEST(LoadMemory, AHoldMovesWithItsBytes) {
  LoadMemory memory;
  LoadMemory::Hold first = memory.Count(10);
  LoadMemory::Hold second = std::move(first);
  EXPECT_EQ(memory.held(), 10);
  second = memory.Count(20);
  EXPECT_EQ(memory.held(), 20);
}

}  // namespace
}  // namespace dragoman::engine
