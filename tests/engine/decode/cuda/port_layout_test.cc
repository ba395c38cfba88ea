// The arrays of a port in one block.
#include "engine/decode/cuda/port_layout.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace dragoman {
namespace {

BatchLimits Limits() {
  BatchLimits limits;
  limits.max_rows = 20;
  limits.lanes = 160;
  limits.positions = 129;
  limits.self_pages = 100;
  limits.vocabulary = 1000;
  limits.workspaces = 4;
  limits.stored_rows = 20;
  limits.stored_workspaces = 2;
  limits.rules_words = 5000;
  return limits;
}

TEST(PortLayout, ArraysFollowEachOtherInsideTheBlock) {
  const BatchLimits limits = Limits();
  StepPort measured;
  const int64_t bytes = CarvePort(limits, nullptr, &measured);
  EXPECT_EQ(measured.command, nullptr);
  std::vector<uint8_t> memory(static_cast<size_t>(bytes) + 256);
  uint8_t* base = memory.data();
  base += (256 - reinterpret_cast<uintptr_t>(base) % 256) % 256;
  StepPort port;
  EXPECT_EQ(CarvePort(limits, base, &port), bytes);
  EXPECT_EQ(port.command_capacity, measured.command_capacity);
  EXPECT_EQ(port.output_capacity, measured.output_capacity);

  const auto at = [&](const void* p) { return static_cast<const uint8_t*>(p) - base; };
  int64_t end = 0;
  const auto expect = [&](const void* begin, int64_t size) {
    EXPECT_GE(at(begin), end);
    EXPECT_EQ(at(begin) % 256, 0);
    end = at(begin) + size;
  };
  const int64_t rows = limits.max_rows;
  expect(port.command, sizeof(StepCommand));
  expect(port.cancelled, rows * static_cast<int64_t>(sizeof(int32_t)));
  expect(port.admissions, rows * static_cast<int64_t>(sizeof(AdmitCommand)));
  expect(port.command_words, port.command_capacity * static_cast<int64_t>(sizeof(int32_t)));
  expect(port.output, sizeof(StepOutput));
  expect(port.deliveries, rows * static_cast<int64_t>(sizeof(Delivery)));
  expect(port.output_words, port.output_capacity * static_cast<int64_t>(sizeof(int32_t)));
  EXPECT_LE(end, bytes);
}

TEST(PortLayout, HoldsWhatOneStepMayNeed) {
  const BatchLimits limits = Limits();
  StepPort port;
  CarvePort(limits, nullptr, &port);
  // Every slot admitted at once, with the widest beam, the longest source and all rules.
  EXPECT_GE(port.command_capacity,
            limits.rules_words + limits.max_rows * (kMaxSlotLanes + limits.pages_per_lane()));
  // The largest result of one slot.
  EXPECT_GE(port.output_capacity, kMaxBeam * HypothesisWords(limits.positions - 1, true));
}

}  // namespace
}  // namespace dragoman
