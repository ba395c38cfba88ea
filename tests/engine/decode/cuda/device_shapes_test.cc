// Checks which shapes of models a GPU supports, and the error for the others.
#include "engine/decode/cuda/device_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <utility>

#include "engine/model/families/family.h"
#include "engine/model/layouts/model_source.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

// Returns the error for a model with this d, this number of heads and this feed-forward width; ""
// if a GPU supports it.
std::string WhyNot(int d, int heads, int ffn) {
  ModelSpec spec;
  spec.shape = {d, 1, 1, heads, heads, ffn, ffn, 11, 11, 40};
  const absl::Status status = CheckDeviceShapes(FindFamily("marian")->make(spec)->program);
  EXPECT_TRUE(status.ok() || status.code() == absl::StatusCode::kUnimplemented) << status;
  return std::string(status.message());
}

TEST(DeviceShapes, HeadsAndWidthsAreMultiplesOfEightUpToALimit) {
  // The vocabulary has no constraint; its size is 11 here.
  for (const auto& [d, heads] :
       {std::pair{8, 1}, {24, 3}, {40, 1}, {512, 8}, {768, 12}, {128, 1}, {4096, 64}, {4096, 32}}) {
    EXPECT_EQ(WhyNot(d, heads, 8), "") << d << " in " << heads;
    EXPECT_EQ(WhyNot(d, heads, 2056), "") << d << " in " << heads;
  }
}

TEST(DeviceShapes, TheFirstOperationThatDoesNotFitIsNamed) {
  const std::string model = "a GPU does not take this model: its encoder's ";
  EXPECT_EQ(WhyNot(72, 4, 64), model +
                                   "'self-attention' has heads of 18 dimensions, expected a "
                                   "multiple of 8 up to 128");
  EXPECT_EQ(WhyNot(144, 1, 64), model +
                                    "'self-attention' has heads of 144 dimensions, expected a "
                                    "multiple of 8 up to 128");
  EXPECT_EQ(WhyNot(36, 1, 64),
            model + "'embedding' is 36 wide, expected a multiple of 8 up to 4096");
  EXPECT_EQ(WhyNot(4160, 64, 64),
            model + "'embedding' is 4160 wide, expected a multiple of 8 up to 4096");
  EXPECT_EQ(WhyNot(64, 2, 100), model + "'feed-forward up' is 100 wide, expected a multiple of 8");
}

// Checks the decoder separately, because its number of heads may differ from the encoder's.
TEST(DeviceShapes, TheDecoderIsLookedAtToo) {
  ModelSpec spec;
  spec.shape = {48, 1, 1, 2, 4, 64, 64, 11, 11, 40};
  const absl::Status status = CheckDeviceShapes(FindFamily("marian")->make(spec)->program);
  EXPECT_THAT(std::string(status.message()),
              ::testing::HasSubstr("heads of 12 dimensions, expected a multiple of 8"));
}

// tests/parity compares GPUs with other programs on these models. It skips the four that a GPU does
// not support.
TEST(DeviceShapes, AllButFourOfTheSmallModelsAreTaken) {
  const std::string root = DRAGOMAN_SOURCE_DIR "/tests/data/models/";
  for (const char* name :
       {"tiny-a", "tiny-b", "tiny-fsmt", "tiny-m2m", "tiny-m2m-pad", "tiny-nllb", "tiny-mbart25",
        "tiny-bart", "tiny-t5", "tiny-flan", "tiny-mt5", "tiny-madlad", "ct2-tiny-a-int8",
        "ct2-tiny-m2m-float32", "ct2-tiny-flan-int8", "marian-npz", "marian-pre", "marian-ssru"}) {
    const auto loaded = ExpectOk(LoadModel(root + name));
    EXPECT_EQ(CheckDeviceShapes(loaded->program), absl::OkStatus()) << name;
  }
  for (const char* name : {"tiny-mbart", "tiny-multi", "tiny-pegasus", "tiny-umt5"}) {
    const auto loaded = ExpectOk(LoadModel(root + name));
    const absl::Status status = CheckDeviceShapes(loaded->program);
    EXPECT_TRUE(absl::IsUnimplemented(status)) << name << ": " << status;
    std::cout << name << ": " << status.message() << "\n";
  }
}

}  // namespace
}  // namespace dragoman::engine
