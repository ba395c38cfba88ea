#include "engine/base/worker_pool.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace dragoman {
namespace {

TEST(WorkerPool, RunsEverythingInOrderBeforeItGoes) {
  std::vector<int> done;
  {
    WorkerPool pool(1);
    for (int i = 0; i < 100; ++i) pool.Post([&done, i] { done.push_back(i); });
  }
  ASSERT_EQ(done.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done[static_cast<size_t>(i)], i);
}

TEST(WorkerPool, WithoutThreadsWhoPostsRunsTheTask) {
  WorkerPool pool(0);
  std::thread::id outer;
  std::thread::id inner;
  pool.Post([&] {
    outer = std::this_thread::get_id();
    pool.Post([&] { inner = std::this_thread::get_id(); });  // within a task, too
    EXPECT_EQ(inner, outer);
  });
  EXPECT_EQ(outer, std::this_thread::get_id());
  EXPECT_EQ(pool.backlog(), 0);
}

TEST(WorkerPool, WithThreadsSomebodyElseRunsIt) {
  std::thread::id ran_by;
  {
    WorkerPool pool(2);
    pool.Post([&] { ran_by = std::this_thread::get_id(); });
  }
  EXPECT_NE(ran_by, std::thread::id());
  EXPECT_NE(ran_by, std::this_thread::get_id());
}

}  // namespace
}  // namespace dragoman
