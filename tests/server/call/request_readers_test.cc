#include "server/call/request_readers.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace dragoman::server {
namespace {

TEST(RequestReaders, ATextIsSmallAndAListIsLarge) {
  EXPECT_FALSE(RequestReaders::IsLarge(300));
  EXPECT_TRUE(RequestReaders::IsLarge(3000));
}

constexpr char kPeer[] = "ipv4:192.0.2.7:4711";
constexpr char kOtherPeer[] = "ipv4:192.0.2.8:4711";

TEST(RequestReaders, ReadAClientsRequestsInTheOrderOfArrival) {
  CallTracker tracker;
  std::vector<int> order;
  {
    RequestReaders readers(1, &tracker);
    for (int i = 0; i < 3; ++i) {
      readers.Post(nullptr, kPeer, 2000 - i, [&order, i] { order.push_back(i); });
    }
  }
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
}

// Returns the order in which the requests are read that `post` posts while the only reader is busy.
template <typename Post>
std::string OrderOf(const Post& post) {
  CallTracker tracker;
  std::string order;
  std::promise<void> busy;  // outlive the readers, whose destructor may run the tasks
  std::promise<void> go;
  {
    RequestReaders readers(1, &tracker);
    readers.Post(nullptr, "unix:", 1024, [&busy, &go] {
      busy.set_value();
      go.get_future().wait();
    });
    busy.get_future().wait();
    post(&readers, &order);
    go.set_value();
  }
  return order;
}

TEST(RequestReaders, AClientWaitsForNoBacklogOfAnothers) {
  EXPECT_EQ(OrderOf([](RequestReaders* readers, std::string* order) {
              for (int i = 0; i < 4; ++i) {
                // Connections of one address are one client.
                readers->Post(nullptr, "ipv4:192.0.2.7:" + std::to_string(i), 60'000,
                              [order] { *order += 'a'; });
              }
              for (int i = 0; i < 2; ++i) {
                readers->Post(nullptr, kOtherPeer, 1500, [order] { *order += 'b'; });
              }
            }),
            "bbaaaa");
}

TEST(RequestReaders, KeysAreClientsWithTheirShares) {
  const Grant one(std::make_shared<Client>(ClientEntry{.name = "one"}));
  const Grant three(std::make_shared<Client>(ClientEntry{.name = "three", .share = 3}));
  EXPECT_EQ(OrderOf([&](RequestReaders* readers, std::string* order) {
              for (int i = 0; i < 3; ++i) {
                readers->Post(&one, kPeer, 3000, [order] { *order += '1'; });
              }
              for (int i = 0; i < 6; ++i) {
                readers->Post(&three, kPeer, 3000, [order] { *order += '3'; });
              }
            }).substr(0, 8),
            "33133313");
}

TEST(RequestReaders, WhatWaitsIsInFlight) {
  CallTracker tracker;
  std::promise<void> go;
  RequestReaders readers(1, &tracker);
  readers.Post(nullptr, kPeer, 2000, [&go] { go.get_future().wait(); });
  readers.Post(nullptr, kPeer, 2000, [] {});
  EXPECT_EQ(tracker.in_flight(), 2);
  go.set_value();
  EXPECT_TRUE(tracker.WaitIdle(std::chrono::seconds(30)));
}

TEST(RequestReaders, TheEndReadsWhatWaits) {
  CallTracker tracker;
  int read = 0;
  {
    RequestReaders readers(1, &tracker);
    for (int i = 0; i < 100; ++i) readers.Post(nullptr, kPeer, 2000, [&read] { ++read; });
  }
  EXPECT_EQ(read, 100);
  EXPECT_EQ(tracker.in_flight(), 0);
}

}  // namespace
}  // namespace dragoman::server
