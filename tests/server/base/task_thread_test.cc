#include "server/base/task_thread.h"

#include <gtest/gtest.h>

#include <future>
#include <vector>

namespace dragoman::server {
namespace {

TEST(TaskThread, DoesWhatIsPostedInOrder) {
  TaskThread thread("test", 8);
  thread.Start();
  std::promise<void> done;
  std::vector<int> order;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(thread.Post([&order, i](bool go_on) { order.push_back(go_on ? i : -1); }).ok());
  }
  ASSERT_TRUE(thread.Post([&done](bool) { done.set_value(); }).ok());
  done.get_future().wait();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
}

TEST(TaskThread, WhatHasNotBegunIsToldAtTheEnd) {
  TaskThread thread("test", 2);
  std::vector<bool> told;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(thread.Post([&told](bool go_on) { told.push_back(go_on); }).ok());
  }
  EXPECT_EQ(thread.Post([](bool) { FAIL(); }).code(), absl::StatusCode::kResourceExhausted);
  thread.Stop();
  EXPECT_EQ(told, (std::vector<bool>{false, false}));
  EXPECT_EQ(thread.Post([](bool) { FAIL(); }).code(), absl::StatusCode::kUnavailable);
}

TEST(TaskThread, TheEndWaitsOnlySoLongForWhatIsUnderWay) {
  TaskThread thread("test", 2);
  thread.Start();
  std::promise<void> begun;
  std::promise<void> held;
  ASSERT_TRUE(thread
                  .Post([&](bool) {
                    begun.set_value();
                    held.get_future().wait();
                  })
                  .ok());
  begun.get_future().wait();
  EXPECT_FALSE(thread.StopWithin(std::chrono::milliseconds(1)));
  held.set_value();
  EXPECT_TRUE(thread.StopWithin(std::chrono::minutes(1)));
}

TEST(TaskThread, OneThatWasNeverStartedEnds) {
  TaskThread thread("test", 1);
  EXPECT_TRUE(thread.StopWithin(std::chrono::minutes(1)));
}

}  // namespace
}  // namespace dragoman::server
