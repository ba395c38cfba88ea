#include "engine/api/devices.h"

#include <gtest/gtest.h>

namespace dragoman::engine {
namespace {

// Given-up devices stay so for the whole process, so this test uses numbers that no other test
// uses.
TEST(GivenUpDevices, StayGivenUpAndKeepWhatMustNotBeFreed) {
  EXPECT_EQ(WhyGivenUp(701), "");
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = held;
  GiveUpDevice(701, "its first kernel hangs", std::move(held));
  EXPECT_EQ(WhyGivenUp(701), "its first kernel hangs");
  EXPECT_EQ(WhyGivenUp(702), "");
  EXPECT_TRUE(AnyDeviceGivenUp());
  EXPECT_FALSE(watch.expired());
  // A second report keeps its object alive too, but the first reason stays.
  GiveUpDevice(701, "another", std::make_shared<int>(2));
  EXPECT_EQ(WhyGivenUp(701), "its first kernel hangs");
  EXPECT_FALSE(watch.expired());
}

}  // namespace
}  // namespace dragoman::engine
