#include "engine/api/scheduler_options.h"

#include <gtest/gtest.h>

namespace dragoman::engine {
namespace {

constexpr int kRows = 24;

TEST(SchedulerOptions, EverySettingOutOfRangeIsNamed) {
  EXPECT_TRUE(CheckSchedulerOptions({}, 1).ok());
  const auto refused = [](const char* name, const auto& change) {
    SchedulerOptions o;
    o.refill = RefillRule::kStream;
    o.unit = CapacityUnit::kSegments;
    o.capacity = 12;
    change(o);
    const absl::Status status = CheckSchedulerOptions(o, kRows);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_NE(status.message().find(name), std::string::npos) << status;
  };
  refused("capacity", [](SchedulerOptions& o) { o.capacity = -1; });
  refused("capacity", [](SchedulerOptions& o) { o.capacity = kRows + 1; });
  refused("capacity", [](SchedulerOptions& o) {
    o.unit = CapacityUnit::kSourceTokens;
    o.capacity = 0;
  });
  refused("denominator", [](SchedulerOptions& o) { o.eps_den = 0; });
  refused("numerator", [](SchedulerOptions& o) { o.eps_num = -1; });
  refused("numerator", [](SchedulerOptions& o) { o.eps_num = 7; });
  refused("width_budget", [](SchedulerOptions& o) { o.width_budget = -1; });
  refused("width_budget", [](SchedulerOptions& o) { o.width_budget = kRows + 1; });
  refused("max_pause", [](SchedulerOptions& o) { o.max_pause = -1; });
  refused("lanes", [](SchedulerOptions& o) { o.lanes = kRows - 1; });
  refused("window.segments", [](SchedulerOptions& o) { o.window.segments = 0; });
  refused("window.tokens", [](SchedulerOptions& o) { o.window.tokens = 0; });
}

}  // namespace
}  // namespace dragoman::engine
