#include "server/call/request_readers.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <vector>

namespace dragoman {
namespace {

TEST(RequestReaders, ATextIsSmallAndAListIsLarge) {
  EXPECT_FALSE(RequestReaders::IsLarge(300));
  EXPECT_TRUE(RequestReaders::IsLarge(3000));
}

TEST(RequestReaders, ReadInTheOrderOfArrival) {
  CallTracker tracker;
  std::vector<int> order;
  {
    RequestReaders readers(1, &tracker);
    for (int i = 0; i < 3; ++i) readers.Post([&order, i] { order.push_back(i); });
  }
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
}

TEST(RequestReaders, WhatWaitsIsInFlight) {
  CallTracker tracker;
  RequestReaders readers(1, &tracker);
  std::promise<void> go;
  readers.Post([&go] { go.get_future().wait(); });
  readers.Post([] {});
  EXPECT_EQ(tracker.in_flight(), 2);
  go.set_value();
  EXPECT_TRUE(tracker.WaitIdle(std::chrono::seconds(30)));
}

TEST(RequestReaders, TheEndReadsWhatWaits) {
  CallTracker tracker;
  int read = 0;
  {
    RequestReaders readers(1, &tracker);
    for (int i = 0; i < 100; ++i) readers.Post([&read] { ++read; });
  }
  EXPECT_EQ(read, 100);
  EXPECT_EQ(tracker.in_flight(), 0);
}

}  // namespace
}  // namespace dragoman
