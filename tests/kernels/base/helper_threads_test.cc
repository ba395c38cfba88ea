#include "kernels/base/helper_threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

namespace dragoman::kernels {
namespace {

using Work = std::function<void(int64_t begin, int64_t end, int thread)>;

void Do(HelpedThread& self, int64_t count, int threads, const Work& work, int64_t multiple = 1) {
  self.Do({.work = [](const void* data, int64_t begin, int64_t end,
                      int thread) { (*static_cast<const Work*>(data))(begin, end, thread); },
           .data = &work,
           .count = count,
           .multiple = multiple,
           .threads = threads});
}

// Waits until `happened()` returns true. If it never does, the test's time limit ends the wait.
void Await(const std::function<bool()>& happened) {
  while (!happened()) std::this_thread::yield();
}

// Runs jobs until `wanted` threads have worked on the same job. Each thread yields in its piece for
// a while so that others can join.
void AwaitThreads(HelpedThread& self, int wanted) {
  for (int most = 0; most < wanted;) {
    std::atomic<unsigned> seen{0};
    Do(self, 64, 32, [&](int64_t, int64_t, int thread) {
      seen |= 1U << thread;
      for (int i = 0; i < 100 && std::popcount(seen.load()) < wanted; ++i) {
        std::this_thread::yield();
      }
    });
    most = std::popcount(seen.load());
  }
}

void AwaitHelp(HelpedThread& self) { AwaitThreads(self, 2); }

TEST(HelperThreads, DoesEveryPieceOnceWhateverThereIsAndHoweverManyHelp) {
  for (const int cores : {1, 2, 3, 5}) {
    HelperThreads helpers(cores);
    HelpedThread self(&helpers, 4);
    self.Begin();
    for (const int64_t count : {0, 1, 2, 3, 7, 64, 1000}) {
      for (const int threads : {1, 2, 4}) {
        for (const int64_t multiple : {1, 3, 32}) {
          std::vector<std::atomic<int>> done(static_cast<size_t>(count));
          std::vector<std::atomic<int>> inside(4);
          std::atomic<bool> wrong{false};
          Do(
              self, count, threads,
              [&](int64_t begin, int64_t end, int thread) {
                wrong = wrong || begin % multiple != 0 || begin >= end || end > count ||
                        thread < 0 || thread >= std::max(1, threads) ||
                        inside[static_cast<size_t>(thread)].fetch_add(1) != 0;
                for (int64_t i = begin; i < end; ++i) ++done[static_cast<size_t>(i)];
                inside[static_cast<size_t>(thread)].fetch_sub(1);
              },
              multiple);
          EXPECT_FALSE(wrong) << cores << " cores, " << count << " pieces, " << threads;
          EXPECT_TRUE(std::all_of(done.begin(), done.end(), [](const auto& n) { return n == 1; }))
              << cores << " cores, " << count << " pieces, " << threads << " threads";
        }
      }
    }
  }
}

TEST(HelperThreads, WhatIsWrittenByHelpersIsSeenByWhoeverIsHelped) {
  HelperThreads helpers(3);
  HelpedThread self(&helpers, 3);
  self.Begin();
  std::vector<int64_t> values(300);
  for (int64_t round = 0; round < 2000; ++round) {
    Do(self, 300, 3, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) values[static_cast<size_t>(i)] += i + round;
    });
  }
  for (int64_t i = 0; i < 300; ++i) EXPECT_EQ(values[static_cast<size_t>(i)], 2000 * i + 1999000);
}

TEST(HelperThreads, ALoneThreadIsHelped) {
  HelperThreads helpers(2);
  HelpedThread self(&helpers, 2);
  self.Begin();
  AwaitHelp(self);
}

TEST(HelperThreads, NobodyHelpsBeforeBeginAndAfterEnd) {
  HelperThreads helpers(3);
  HelpedThread self(&helpers, 3);
  const auto alone = [&] {
    int calls = 0;
    Do(self, 100, 3, [&](int64_t begin, int64_t end, int thread) {
      EXPECT_TRUE(begin == 0 && end == 100 && thread == 0);
      ++calls;
    });
    EXPECT_EQ(calls, 1);
  };
  alone();
  self.Begin();
  AwaitHelp(self);
  self.End();
  alone();
}

TEST(HelperThreads, HelpersWithoutWorkSleep) {
  HelperThreads helpers(3);
  HelpedThread self(&helpers, 3);
  self.Begin();
  AwaitHelp(self);
  Await([&] { return helpers.awake() == 0; });  // while `self` has not ended
  AwaitHelp(self);
  self.End();
  Await([&] { return helpers.awake() == 0; });
}

TEST(HelperThreads, AThreadThatBeginsGetsItsCoreBack) {
  HelperThreads helpers(2);
  HelpedThread one(&helpers, 2);
  HelpedThread other(&helpers, 2);
  one.Begin();
  AwaitHelp(one);
  std::atomic<bool> helped{false};
  std::atomic<bool> gone{false};
  std::atomic<bool> ended{false};
  std::thread starter([&] {
    Await([&] { return helped.load(); });
    other.Begin();
    Await([&] { return helpers.awake() == 0; });
    gone = true;
    Await([&] { return ended.load(); });
    other.End();
  });
  std::atomic<int> wrong{0};
  while (!gone) {
    Do(one, 64, 2, [&](int64_t, int64_t, int thread) {
      if (thread == 0) return std::this_thread::yield();
      wrong += gone ? 1 : 0;
      helped = true;
    });
  }
  // No thread gets help while both compute.
  for (HelpedThread* self : {&one, &other}) {
    Do(*self, 64, 2, [&](int64_t begin, int64_t end, int thread) {
      wrong += begin == 0 && end == 64 && thread == 0 ? 0 : 1;
    });
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(helpers.awake(), 0);
  ended = true;
  starter.join();
  AwaitHelp(one);  // `one` has the core again
}

TEST(HelperThreads, CoresAreDividedEvenly) {
  HelperThreads helpers(4);
  HelpedThread one(&helpers, 4);
  HelpedThread other(&helpers, 4);
  one.Begin();
  AwaitThreads(one, 4);
  other.Begin();
  // Each of the two threads asks for all helpers and gets one. Both hold their helper at the same
  // time.
  std::atomic<int> waiting{2};
  const auto have_one_each = [&](HelpedThread& self) {
    AwaitThreads(self, 2);
    --waiting;
    while (waiting > 0) AwaitThreads(self, 2);
  };
  std::thread second([&] { have_one_each(other); });
  have_one_each(one);
  second.join();
  Await([&] { return helpers.awake() <= 2; });
}

// Threads begin and end at arbitrary times. All work must be done exactly once, and nothing may
// hang.
TEST(HelperThreads, ManyThreadsBeginAndEndAtAllTimes) {
  constexpr int kThreads = 4;
  HelperThreads helpers(3);
  std::atomic<int64_t> total{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      int64_t mine = 0;
      for (int life = 0; life < 20; ++life) {
        HelpedThread self(&helpers, 3);
        for (int round = 0; round < 20; ++round) {
          self.Begin();
          for (int i = 0; i < 10 + t; ++i) {
            std::vector<int64_t> values(97);
            Do(self, 97, 3, [&](int64_t begin, int64_t end, int) {
              for (int64_t j = begin; j < end; ++j) values[static_cast<size_t>(j)] += j;
            });
            for (const int64_t value : values) mine += value;
          }
          self.End();
        }
      }
      total += mine;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(total, int64_t{97 * 96 / 2} * 20 * 20 * (10 + 11 + 12 + 13));
  Await([&] { return helpers.awake() == 0; });
}

}  // namespace
}  // namespace dragoman::kernels
