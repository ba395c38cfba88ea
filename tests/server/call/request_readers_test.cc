#include "server/call/request_readers.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <thread>

namespace dragoman {
namespace {

constexpr size_t kSmall = 100;
constexpr size_t kLarge = 100'000;

TEST(RequestReaders, WhoBringsASmallRequestReadsIt) {
  CallTracker tracker;
  RequestReaders readers(1, &tracker);
  std::thread::id reader;
  readers.Read(kSmall, [&reader] { reader = std::this_thread::get_id(); });
  EXPECT_EQ(reader, std::this_thread::get_id());
}

TEST(RequestReaders, SmallRequestsDoNotWaitForLargeOnes) {
  CallTracker tracker;
  RequestReaders readers(1, &tracker);
  std::promise<void> go;
  std::promise<void> read;
  readers.Read(kLarge, [&go, &read] {
    go.get_future().wait();
    read.set_value();
  });
  bool small = false;
  readers.Read(kSmall, [&small] { small = true; });
  EXPECT_TRUE(small);
  go.set_value();
  read.get_future().wait();
}

TEST(RequestReaders, WhatWaitsIsInFlight) {
  CallTracker tracker;
  RequestReaders readers(1, &tracker);
  std::promise<void> go;
  readers.Read(kLarge, [&go] { go.get_future().wait(); });
  readers.Read(kLarge, [] {});
  EXPECT_EQ(tracker.in_flight(), 2);
  go.set_value();
  EXPECT_TRUE(tracker.WaitIdle(std::chrono::seconds(30)));
}

TEST(RequestReaders, TheEndReadsWhatWaits) {
  CallTracker tracker;
  int read = 0;
  {
    RequestReaders readers(1, &tracker);
    for (int i = 0; i < 100; ++i) readers.Read(kLarge, [&read] { ++read; });
  }
  EXPECT_EQ(read, 100);
  EXPECT_EQ(tracker.in_flight(), 0);
}

}  // namespace
}  // namespace dragoman
