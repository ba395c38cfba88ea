#include "tests/gpu/cuda_switches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dragoman {
namespace {

TEST(CudaSwitches, TurnOffWhatIsNamed) {
  EXPECT_EQ(*ParseCudaOff(""), CudaOptions());
  EXPECT_EQ(*ParseCudaOff("fused-output"), CudaOptions{.fused_output = false});
  EXPECT_EQ(*ParseCudaOff("few-rows"), CudaOptions{.few_rows = false});
  EXPECT_EQ(*ParseCudaOff("bucket-algorithms"), CudaOptions{.bucket_algorithms = false});
  EXPECT_EQ(*ParseCudaOff("graphs,early-launch"),
            (CudaOptions{.graphs = false, .early_launch = false}));
}

TEST(CudaSwitches, ANameThatThereIsNotIsRefused) {
  for (const char* names : {"graph", "graphs,", "Graphs", "graphs early-launch"}) {
    const auto options = ParseCudaOff(names);
    EXPECT_EQ(options.status().code(), absl::StatusCode::kInvalidArgument) << names;
    EXPECT_THAT(options.status().message(), ::testing::HasSubstr("few-rows"));
  }
}

}  // namespace
}  // namespace dragoman
