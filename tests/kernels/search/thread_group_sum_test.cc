// The services of a group for its members: sums, shares, lists (kernels/search/thread_group.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "kernels/search/thread_group.h"
#include "tests/kernels/search/host_thread_group.h"

namespace dragoman::kernels {
namespace {

using testing::HostThreadGroup;
using testing::RunGroup;

TEST(ThreadGroupSum, EachMemberGetsWhatThoseBeforeItHave) {
  int64_t total = 0;
  EXPECT_EQ(SingleThread().ExclusiveSum<int64_t>(7, &total), 0);
  EXPECT_EQ(total, 7);
  for (const int size : {1, 2, 32}) {
    std::vector<int32_t> before(static_cast<size_t>(size)), totals(before);
    testing::RunGroup(size, [&](const HostThreadGroup& t) {
      const auto rank = static_cast<size_t>(t.rank());
      before[rank] = t.ExclusiveSum(t.rank() + 1, &totals[rank]);
    });
    int32_t sum = 0;
    for (int rank = 0; rank < size; ++rank) {
      EXPECT_EQ(before[static_cast<size_t>(rank)], sum);
      sum += rank + 1;
    }
    EXPECT_EQ(totals, std::vector<int32_t>(static_cast<size_t>(size), sum));
  }
}

TEST(ThreadGroupSum, SharesAreRunsThatCoverTheList) {
  for (const int size : {1, 3, 32}) {
    for (const int32_t count : {0, 1, 31, 32, 33, 1000}) {
      std::vector<std::atomic<int>> taken(static_cast<size_t>(count));
      std::vector<int32_t> begins(static_cast<size_t>(size));
      testing::RunGroup(size, [&](const HostThreadGroup& t) {
        const Share mine = ShareOf(t, count);
        begins[static_cast<size_t>(t.rank())] = mine.begin;
        for (int32_t i = mine.begin; i < mine.end; ++i) ++taken[static_cast<size_t>(i)];
      });
      for (const std::atomic<int>& times : taken) EXPECT_EQ(times, 1);
      EXPECT_TRUE(std::is_sorted(begins.begin(), begins.end()));
    }
  }
}

// The last subgroup of 70 has 6 members.
TEST(ThreadGroupSum, SubgroupsTakeTheMembersInTurn) {
  for (const int size : {1, 3, 32, 40, 70}) {
    const int count = (size + 31) / 32;
    std::vector<Subgroup> subgroups(static_cast<size_t>(size));
    testing::RunGroup(size, [&](const HostThreadGroup& t) {
      subgroups[static_cast<size_t>(t.rank())] = SubgroupOf(t);
    });
    for (int rank = 0; rank < size; ++rank) {
      const Subgroup& subgroup = subgroups[static_cast<size_t>(rank)];
      EXPECT_EQ(subgroup.number, rank / 32);
      EXPECT_EQ(subgroup.count, count);
      EXPECT_EQ(subgroup.rank, rank % 32);
      EXPECT_EQ(subgroup.size, subgroup.number < count - 1 || size % 32 == 0 ? 32 : size % 32);
    }
  }
}

TEST(ThreadGroupSum, CollectKeepsTheOrder) {
  std::vector<int32_t> expected;
  for (int32_t i = 0; i < 500; ++i) {
    if (i % 7 < 3) expected.push_back(3 * i);
  }
  for (const int size : {1, 32}) {
    std::vector<int32_t> found(500, -1);
    std::vector<int32_t> counts(static_cast<size_t>(size));
    testing::RunGroup(size, [&](const HostThreadGroup& t) {
      counts[static_cast<size_t>(t.rank())] = Collect(
          t, 500, [](int32_t i) { return i % 7 < 3; }, [](int32_t i) { return 3 * i; },
          found.data());
    });
    for (const int32_t count : counts) ASSERT_EQ(count, static_cast<int32_t>(expected.size()));
    found.resize(expected.size());
    EXPECT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace dragoman::kernels
