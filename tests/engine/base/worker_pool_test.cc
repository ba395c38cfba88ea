#include "engine/base/worker_pool.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <thread>
#include <vector>

namespace dragoman::engine {
namespace {

TEST(WorkerPool, RunsEverythingInOrderBeforeItGoes) {
  std::vector<int> done;
  {
    WorkerPool pool("test", 1);
    for (int i = 0; i < 100; ++i) pool.Post([&done, i] { done.push_back(i); });
  }
  ASSERT_EQ(done.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done[static_cast<size_t>(i)], i);
}

TEST(WorkerPool, WithoutThreadsWhoPostsRunsTheTask) {
  WorkerPool pool("test", 0);
  std::thread::id outer;
  std::thread::id inner;
  pool.Post([&] {
    outer = std::this_thread::get_id();
    pool.Post([&] { inner = std::this_thread::get_id(); });  // also if posted by a task
    EXPECT_EQ(inner, outer);
  });
  EXPECT_EQ(outer, std::this_thread::get_id());
  EXPECT_EQ(pool.backlog(), 0);
}

TEST(WorkerPool, WithThreadsSomebodyElseRunsIt) {
  std::thread::id ran_by;
  char name[16] = {};
  {
    WorkerPool pool("test", 2);
    pool.Post([&] {
      ran_by = std::this_thread::get_id();
      pthread_getname_np(pthread_self(), name, sizeof(name));
    });
  }
  EXPECT_STREQ(name, "test");
  EXPECT_NE(ran_by, std::thread::id());
  EXPECT_NE(ran_by, std::this_thread::get_id());
}

}  // namespace
}  // namespace dragoman::engine
