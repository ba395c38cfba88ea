#include "server/transport/held_bytes.h"

#include <gtest/gtest.h>

#include <list>
#include <string>
#include <utility>

namespace dragoman::server {
namespace {

class HeldBytesTest : public ::testing::Test {
 protected:
  struct Connection {
    Connection(HeldBytes* all, RequestClient client) : share(all, [this] { is_ended = true; }) {
      share.SetClient(std::move(client));
    }
    bool is_ended = false;
    HeldBytes::Share share;
  };

  Connection& Connect(std::string name, bool has_key) {
    return connections_.emplace_back(&held_, RequestClient{std::move(name), has_key});
  }

  HeldBytes held_{1'000'000};
  std::list<Connection> connections_;
};

TEST_F(HeldBytesTest, RequestsWithoutAKeyGoFirst) {
  Connection& keyed = Connect("web", true);
  keyed.share.Set(700'000);
  Connection& stranger = Connect("192.0.2.1", false);
  stranger.share.Set(290'000);
  EXPECT_FALSE(stranger.is_ended);
  Connection& other = Connect("web", true);
  other.share.Set(20'000);
  EXPECT_TRUE(stranger.is_ended);
  EXPECT_FALSE(keyed.is_ended);
  EXPECT_FALSE(other.is_ended);
  EXPECT_EQ(held_.total(), 720'000);
}

TEST_F(HeldBytesTest, ThenThoseOfTheClientThatHoldsMostHoweverItDividesThem) {
  Connection& modest = Connect("modest", true);
  modest.share.Set(300'000);
  int ended = 0;
  for (int i = 0; i < 100; ++i) Connect("hog", true).share.Set(10'000);
  for (const Connection& connection : connections_) ended += connection.is_ended ? 1 : 0;
  EXPECT_GE(ended, 30);
  EXPECT_FALSE(modest.is_ended);
  EXPECT_LE(held_.total(), 1'000'000);
}

TEST_F(HeldBytesTest, WhatIsReservedForAnAnswerCounts) {
  Connection& answered = Connect("a", true);
  answered.share.Set(10'000);
  EXPECT_TRUE(answered.share.Reserve(900'000));
  EXPECT_EQ(held_.total(), 910'000);
  Connection& small = Connect("b", true);
  small.share.Set(100'000);
  EXPECT_TRUE(answered.is_ended);
  EXPECT_FALSE(small.is_ended);
  EXPECT_FALSE(answered.share.Reserve(1));
  EXPECT_EQ(held_.total(), 100'000);
}

TEST_F(HeldBytesTest, AConnectionThatHoldsLittleIsNotEnded) {
  Connection& probe = Connect("probe", false);
  probe.share.Set(200);
  Connection& keyed = Connect("web", true);
  keyed.share.Set(1'200'000);
  EXPECT_FALSE(probe.is_ended);
  EXPECT_TRUE(keyed.is_ended);
}

}  // namespace
}  // namespace dragoman::server
