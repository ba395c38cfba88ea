#include "engine/base/shared_capacity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <unordered_map>
#include <utility>

namespace dragoman::engine {
namespace {

// Lets `client` take pieces of `piece` until no more fits. Returns how much it holds.
int64_t TakeAll(SharedCapacity* of, uint64_t client, int share = 1, int64_t piece = 1) {
  while (of->Fits(client, share, piece)) of->Take(client, share, piece);
  return of->held(client);
}

// Clients 1 to `clients` take in turns until nothing fits.
void Fill(SharedCapacity* of, int clients, int share = 1) {
  for (bool any = true; any;) {
    any = false;
    for (uint64_t client = 1; client <= static_cast<uint64_t>(clients); ++client) {
      if (!of->Fits(client, share, 1)) continue;
      of->Take(client, share, 1);
      any = true;
    }
  }
}

TEST(SharedCapacity, OneClientAloneTakesMostAndNeverAll) {
  SharedCapacity capacity(4096);
  const int64_t held = TakeAll(&capacity, 1);
  EXPECT_EQ(held, capacity.LargestPart(1));
  EXPECT_EQ(held, 3192);  // 78 %
  EXPECT_EQ(capacity.held(), held);
  SharedCapacity weighted(4096);
  EXPECT_EQ(TakeAll(&weighted, 1, 16), weighted.LargestPart(16));
  EXPECT_EQ(weighted.held(), 3847);  // 94 %
}

// Checks the table in the header for several numbers of clients.
TEST(SharedCapacity, HoweverManyTakeAllTheyCanThereIsRoomForOthers) {
  for (const auto& [clients, left] : {std::pair{1, 903}, {2, 662}, {10, 311}, {100, 101}}) {
    SharedCapacity capacity(4096);
    Fill(&capacity, clients);
    EXPECT_NEAR(static_cast<double>(capacity.capacity() - capacity.held()), left, clients + 2);
    for (uint64_t client = 1; client <= static_cast<uint64_t>(clients); ++client) {
      EXPECT_NEAR(static_cast<double>(capacity.held(client)),
                  static_cast<double>(capacity.held()) / clients, 2);
    }
    // Twenty more clients arrive at once, each with a call of a few sentences.
    for (uint64_t polite = 1000; polite < 1020; ++polite) {
      ASSERT_TRUE(capacity.Fits(polite, 1, 3)) << clients << " " << polite;
      capacity.Take(polite, 1, 3);
    }
  }
}

TEST(SharedCapacity, LargeSharesLeaveRoomToo) {
  SharedCapacity capacity(4096);
  Fill(&capacity, 10, 16);
  for (uint64_t polite = 1000; polite < 1020; ++polite) {
    ASSERT_TRUE(capacity.Fits(polite, 1, 1)) << polite;
    capacity.Take(polite, 1, 1);
  }
}

TEST(SharedCapacity, AShareIsSoMuchMore) {
  SharedCapacity capacity(4096);
  // Both clients lose capacity at the same rate. The share shows in how much each may take again.
  for (int i = 0; i < 10'000; ++i) {
    for (const uint64_t client : {1, 3}) {
      if (i % 2 == 0 && capacity.held(client) > 0) capacity.Give(client, 1);
      while (capacity.Fits(client, static_cast<int>(client), 1)) {
        capacity.Take(client, static_cast<int>(client), 1);
      }
    }
  }
  EXPECT_NEAR(static_cast<double>(capacity.held(3)) / static_cast<double>(capacity.held(1)), 3,
              0.1);
}

// Clients that held all of it make room for new clients as they release capacity.
TEST(SharedCapacity, APartShrinksAsOthersCome) {
  SharedCapacity capacity(4096);
  TakeAll(&capacity, 1);
  TakeAll(&capacity, 2);
  EXPECT_LT(capacity.held(2), 700);
  // Client 2 takes what client 1 releases, until both hold the same.
  for (int i = 0; i < 3000; ++i) {
    const uint64_t leaves = capacity.held(1) >= capacity.held(2) ? 1 : 2;
    capacity.Give(leaves, 1);
    for (const uint64_t client : {1, 2}) {
      if (capacity.Fits(client, 1, 1)) capacity.Take(client, 1, 1);
    }
  }
  EXPECT_NEAR(static_cast<double>(capacity.held(1)), static_cast<double>(capacity.held(2)), 2);
  EXPECT_NEAR(static_cast<double>(capacity.held(1)), 4096 * 0.4191, 3);
}

TEST(SharedCapacity, AnyAmountFitsWhileNobodyHoldsAnything) {
  SharedCapacity capacity(100);
  EXPECT_TRUE(capacity.Fits(1, 1, 100));
  capacity.Take(2, 1, 1);
  EXPECT_FALSE(capacity.Fits(1, 1, 100));
  capacity.Give(2, 1);
  EXPECT_TRUE(capacity.Fits(1, 1, 100));
}

// A client may hold more than its largest part after a call that is larger, or whose size was
// underestimated.
TEST(SharedCapacity, WhatIsHeldBeyondALargestPartTakesNoRoomFromOthers) {
  for (const int64_t held : {4096, 12'000}) {
    SharedCapacity capacity(4096);
    capacity.Take(1, 1, held);
    EXPECT_FALSE(capacity.Fits(1, 1, 1));
    EXPECT_TRUE(capacity.FitsAnother(1, 1));
    EXPECT_GE(TakeAll(&capacity, 2), 400);
    // The second client's part is still counted after the first has released its own.
    const int64_t second = capacity.held(2);
    capacity.Give(1, held);
    EXPECT_EQ(capacity.held(), second);
    EXPECT_EQ(TakeAll(&capacity, 2), capacity.LargestPart(1));
  }
}

TEST(SharedCapacity, SmallCapacitiesServeOneAtATimeAtLeast) {
  for (int64_t size = 1; size < 50; ++size) {
    SharedCapacity capacity(size);
    EXPECT_GE(TakeAll(&capacity, 1), 1) << size;
    EXPECT_LE(capacity.held(), size);
    if (size > 2) {
      EXPECT_GE(capacity.held(), size / 2) << size;
    }
  }
}

TEST(SharedCapacity, AtRandomTheSumsHold) {
  std::mt19937 random(3);
  SharedCapacity capacity(1000);
  std::unordered_map<uint64_t, int64_t> held;
  int64_t sum = 0;
  for (int round = 0; round < 20'000; ++round) {
    const uint64_t client = random() % 9;
    const int64_t amount = random() % 40;
    if (random() % 2 == 0) {
      const int share = 1 + static_cast<int>(random() % 16);
      if (!capacity.Fits(client, share, amount)) continue;
      capacity.Take(client, share, amount);
      held[client] += amount;
      sum += amount;
    } else {
      const int64_t back = std::min(amount, held[client]);
      capacity.Give(client, back);
      held[client] -= back;
      sum -= back;
    }
    ASSERT_EQ(capacity.held(), sum);
    ASSERT_LE(capacity.held(), capacity.capacity());
    ASSERT_EQ(capacity.held(client), held[client]);
  }
}

}  // namespace
}  // namespace dragoman::engine
