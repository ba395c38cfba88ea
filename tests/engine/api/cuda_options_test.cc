#include "engine/api/cuda_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace dragoman::engine {
namespace {

CudaOptions Without(const char* names) {
  CudaOptions options{.layer_products = kernels::QuantizedType::kInt8};
  EXPECT_TRUE(TurnOff(names, &options).ok()) << names;
  EXPECT_EQ(options.layer_products, kernels::QuantizedType::kInt8);
  options.layer_products = kernels::QuantizedType::kNone;
  return options;
}

TEST(CudaOptions, TurnsOffWhatIsNamed) {
  EXPECT_EQ(Without(""), CudaOptions());
  EXPECT_EQ(Without("fused-output"), CudaOptions{.fused_output = false});
  EXPECT_EQ(Without("few-rows"), CudaOptions{.few_rows = false});
  EXPECT_EQ(Without("bucket-algorithms"), CudaOptions{.bucket_algorithms = false});
  EXPECT_EQ(Without("graphs,early-launch"), (CudaOptions{.graphs = false, .early_launch = false}));
}

TEST(CudaOptions, ANameThatThereIsNotIsRefused) {
  for (const char* names : {"graph", "graphs,", "Graphs", "graphs early-launch"}) {
    CudaOptions options;
    const absl::Status status = TurnOff(names, &options);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << names;
    EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("few-rows"));
  }
}

}  // namespace
}  // namespace dragoman::engine
