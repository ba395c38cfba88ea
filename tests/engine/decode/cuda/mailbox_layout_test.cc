// Checks the layout of a mailbox's arrays in one block of memory.
#include "engine/decode/cuda/step_mailboxes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace dragoman::engine {
namespace {

kernels::BatchLimits Limits() {
  kernels::BatchLimits limits;
  limits.max_rows = 20;
  limits.lanes = 160;
  limits.positions = 129;
  limits.self_pages = 100;
  limits.vocabulary = 1000;
  limits.workspaces = 4;
  limits.materialized_rows = 20;
  limits.materialized_workspaces = 2;
  limits.rules_words = 5000;
  return limits;
}

TEST(MailboxLayout, ArraysFollowEachOtherInsideTheBlock) {
  const kernels::BatchLimits limits = Limits();
  kernels::StepMailbox measured;
  const int64_t bytes = CarveMailbox(limits, nullptr, &measured);
  EXPECT_EQ(measured.command, nullptr);
  std::vector<uint8_t> memory(static_cast<size_t>(bytes) + 256);
  uint8_t* base = memory.data();
  base += (256 - reinterpret_cast<uintptr_t>(base) % 256) % 256;
  kernels::StepMailbox mailbox;
  EXPECT_EQ(CarveMailbox(limits, base, &mailbox), bytes);
  EXPECT_EQ(mailbox.command_capacity, measured.command_capacity);
  EXPECT_EQ(mailbox.output_capacity, measured.output_capacity);

  const auto at = [&](const void* p) { return static_cast<const uint8_t*>(p) - base; };
  int64_t end = 0;
  const auto expect = [&](const void* begin, int64_t size) {
    EXPECT_GE(at(begin), end);
    EXPECT_EQ(at(begin) % 256, 0);
    end = at(begin) + size;
  };
  const int64_t rows = limits.max_rows;
  expect(mailbox.command, sizeof(kernels::StepCommand));
  expect(mailbox.cancelled, rows * static_cast<int64_t>(sizeof(int32_t)));
  expect(mailbox.admissions, rows * static_cast<int64_t>(sizeof(kernels::AdmitCommand)));
  expect(mailbox.command_words, mailbox.command_capacity * static_cast<int64_t>(sizeof(int32_t)));
  expect(mailbox.output, sizeof(kernels::StepOutput));
  expect(mailbox.deliveries, rows * static_cast<int64_t>(sizeof(kernels::Delivery)));
  expect(mailbox.output_words, mailbox.output_capacity * static_cast<int64_t>(sizeof(int32_t)));
  EXPECT_LE(end, bytes);
}

TEST(MailboxLayout, HoldsWhatOneStepMayNeed) {
  const kernels::BatchLimits limits = Limits();
  kernels::StepMailbox mailbox;
  CarveMailbox(limits, nullptr, &mailbox);
  // A step may admit segments into every slot, with the widest beam, the longest source and all
  // rules.
  EXPECT_GE(
      mailbox.command_capacity,
      limits.rules_words + limits.max_rows * (kernels::kMaxSlotLanes + limits.pages_per_lane()));
  // The output has room for the largest result of one slot.
  EXPECT_GE(mailbox.output_capacity,
            kernels::kMaxBeam * kernels::HypothesisWords(limits.positions - 1, true));
}

}  // namespace
}  // namespace dragoman::engine
