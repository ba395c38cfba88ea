// Tests of the threads of a block as a ThreadGroup, on an emulated device.
#include "tests/kernels/cuda_emulation/emulation.h"
// Must follow emulation.h, whose names it uses.
#include "kernels/cuda/thread_block.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "kernels/search/thread_group.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kSizes[] = {32, 64, 256, 1024};

// An item of 32 bytes, the size of a candidate of the search.
struct Item {
  int32_t key = 0;
  int32_t number = 0;
  int32_t more[6] = {};
};

struct BetterItem {
  bool operator()(const Item& a, const Item& b) const {
    return a.key != b.key ? a.key > b.key : a.number < b.number;
  }
};

std::vector<Item> RandomItems(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Item> items(count);
  for (size_t i = 0; i < count; ++i) {
    items[i].key = static_cast<int32_t>(random() % 50);
    items[i].number = static_cast<int32_t>(i);
    items[i].more[5] = static_cast<int32_t>(i) + 1;
  }
  return items;
}

// Ties go to the highest number, so that the last warps take part.
struct WorseItem {
  bool operator()(const Item& a, const Item& b) const { return BetterItem()(b, a); }
};

// Reduces twice, because a second reduction must not disturb the first.
void BestAndWorst(const Item* items, Item* best, Item* worst) {
  __shared__ ThreadBlock::Shared shared;
  const ThreadBlock group(shared);
  best[group.rank()] = group.Reduce(items[group.rank()], BetterItem());
  worst[group.rank()] = group.Reduce(items[group.rank()], WorseItem());
}

TEST(ThreadBlock, EveryMemberGetsTheBest) {
  for (const int size : kSizes) {
    for (unsigned seed = 1; seed <= 5; ++seed) {
      const auto items = RandomItems(static_cast<size_t>(size), seed);
      std::vector<Item> best(items.size());
      std::vector<Item> worst(items.size());
      ASSERT_EQ(Launch(BestAndWorst, 1, static_cast<unsigned>(size), 0, nullptr, items.data(),
                       best.data(), worst.data()),
                Error::kNone);
      const Item first = *std::min_element(items.begin(), items.end(), BetterItem());
      const Item last = *std::min_element(items.begin(), items.end(), WorseItem());
      for (size_t i = 0; i < items.size(); ++i) {
        ASSERT_EQ(best[i].number, first.number);
        ASSERT_EQ(best[i].more[5], first.number + 1);
        ASSERT_EQ(worst[i].number, last.number);
        ASSERT_EQ(worst[i].more[5], last.number + 1);
      }
    }
  }
}

// Sums twice, because a second sum must not disturb the first.
template <class T>
void Sums(const T* values, T* before, T* totals) {
  __shared__ ThreadBlock::Shared shared;
  const ThreadBlock group(shared);
  T total = 0;
  before[group.rank()] = group.ExclusiveSum(values[group.rank()], &total);
  T twice = 0;
  before[group.rank()] += group.ExclusiveSum(2 * values[group.rank()], &twice);
  totals[group.rank()] = total + twice;
}

template <class T>
void ExpectSums(T least) {
  for (const int size : kSizes) {
    std::vector<T> values(static_cast<size_t>(size)), before(values), totals(values);
    for (size_t i = 0; i < values.size(); ++i) values[i] = least + static_cast<T>(i * i % 97);
    ASSERT_EQ(Launch(Sums<T>, 1, static_cast<unsigned>(size), 0, nullptr,
                     static_cast<const T*>(values.data()), before.data(), totals.data()),
              Error::kNone);
    T sum = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(before[i], 3 * sum) << size;
      sum += values[i];
    }
    for (const T total : totals) ASSERT_EQ(total, 3 * sum);
  }
}

TEST(ThreadBlock, EachMemberGetsTheSumOfThoseBefore) {
  ExpectSums<int32_t>(-40);
  ExpectSums<int64_t>(int64_t{1} << 40);
}

void SortItems(Item* items, int n) {
  __shared__ ThreadBlock::Shared shared;
  ThreadBlock(shared).Sort(items, n, BetterItem());
}

TEST(ThreadBlock, SortsAnyNumber) {
  for (const int size : {32, 64, 256}) {
    for (const int n : {0, 1, 2, 3, 5, 31, 32, 33, 64, 100, 127, 1000, 2049}) {
      auto items = RandomItems(static_cast<size_t>(n) + 1, static_cast<unsigned>(n));
      const Item beyond = items.back();
      auto expected = items;
      std::sort(expected.begin(), expected.end() - 1, BetterItem());
      ASSERT_EQ(Launch(SortItems, 1, static_cast<unsigned>(size), 0, nullptr, items.data(), n),
                Error::kNone);
      for (size_t i = 0; i < items.size(); ++i) ASSERT_EQ(items[i].number, expected[i].number);
      ASSERT_EQ(items.back().more[5], beyond.more[5]);
    }
  }
}

}  // namespace
}  // namespace dragoman::kernels::cuda
