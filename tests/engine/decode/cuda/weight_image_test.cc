// Tests the image of a network's weights: one block of memory for a device.
#include "engine/decode/cuda/weight_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "engine/decode/cuda/quantization.h"
#include "engine/model/families/family.h"
#include "tests/engine/network/ops_of.h"
#include "tests/engine/support/weights_in_memory.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int kWidth = 8;
constexpr int kFfn = 16;
constexpr int kVocabulary = 5;

ModelSpec Spec() {
  ModelSpec spec;
  spec.shape = {kWidth, 1, 2, 1, 1, kFfn, kFfn, kVocabulary, kVocabulary, 4};
  return spec;
}

Program ProgramOf(const ModelSpec& spec) { return FindFamily("marian")->make(spec)->program; }

// Returns weights in which neighbours differ and that float16 represents exactly.
WeightValues NumbersFor(const Program& program) {
  WeightValues values;
  int next = 0;
  for (const Weight& weight : program.weights) {
    values.emplace_back(static_cast<size_t>(weight.elements()));
    for (float& value : values.back()) value = static_cast<float>(next++ % 2048);
  }
  return values;
}

std::vector<float> Read(const WeightImage& image, int64_t offset, size_t count,
                        kernels::ComputeType type) {
  std::vector<float> values(count);
  const auto element = static_cast<size_t>(kernels::ElementBytes(type));
  for (size_t i = 0; i < count; ++i) {
    const uint8_t* from = image.bytes.data() + static_cast<size_t>(offset) + i * element;
    if (type == kernels::ComputeType::kFloat32) {
      std::memcpy(&values[i], from, element);
    } else {
      uint16_t half = 0;
      std::memcpy(&half, from, element);
      values[i] = type == kernels::ComputeType::kFloat16 ? FromFloat16(half) : FromBFloat16(half);
    }
  }
  return values;
}

class WeightImageTest : public ::testing::TestWithParam<kernels::ComputeType> {};

TEST_P(WeightImageTest, HoldsEveryWeightAtItsPlace) {
  const Program program = ProgramOf(Spec());
  const WeightValues values = NumbersFor(program);
  const auto image =
      ExpectOk(MakeWeightImage(program, WeightsInMemory(program, values), GetParam()));
  ASSERT_EQ(image->offset.size(), values.size());
  int64_t end = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const Weight& weight = program.weights[i];
    const kernels::ComputeType type =
        StaysFloat32(weight.role) ? kernels::ComputeType::kFloat32 : GetParam();
    EXPECT_EQ(image->offset[i] % kWeightAlignment, 0) << weight.name;
    EXPECT_GE(image->offset[i], end) << weight.name;
    const bool logits = static_cast<WeightId>(i) == program.output().table;
    const int64_t rows = logits ? 8 : weight.rows;  // the vocabulary of 5 is padded to 8
    end = image->offset[i] + rows * weight.cols * kernels::ElementBytes(type);
    std::vector<float> rounded = values[i];
    if (type == kernels::ComputeType::kBFloat16) {
      for (float& value : rounded) value = FromBFloat16(ToBFloat16(value));
    }
    rounded.resize(static_cast<size_t>(rows * weight.cols));
    EXPECT_EQ(Read(*image, image->offset[i], rounded.size(), type), rounded) << weight.name;
  }
  EXPECT_EQ(static_cast<int64_t>(image->bytes.size()), end);
}

INSTANTIATE_TEST_SUITE_P(Types, WeightImageTest,
                         ::testing::Values(kernels::ComputeType::kFloat32,
                                           kernels::ComputeType::kFloat16,
                                           kernels::ComputeType::kBFloat16),
                         [](const auto& info) { return kernels::ComputeTypeName(info.param); });

TEST(WeightImage, NamesTheWeightThatDoesNotFit) {
  const Program program = ProgramOf(Spec());
  WeightValues values = NumbersFor(program);
  const WeightId down = FindWeight(program, "decoder layer 1: feed-forward down");
  ASSERT_NE(down, kNoWeight);
  values[static_cast<size_t>(down)][kFfn + 3] = 1e5F;
  const auto half =
      MakeWeightImage(program, WeightsInMemory(program, values), kernels::ComputeType::kFloat16);
  ASSERT_FALSE(half.ok());
  EXPECT_EQ(half.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(half.status().message()),
              AllOf(HasSubstr("decoder layer 1: feed-forward down"), HasSubstr("100000 at [1, 3]"),
                    HasSubstr("bfloat16")));
  EXPECT_TRUE(
      MakeWeightImage(program, WeightsInMemory(program, values), kernels::ComputeType::kBFloat16)
          .ok());
  EXPECT_TRUE(
      MakeWeightImage(program, WeightsInMemory(program, values), kernels::ComputeType::kFloat32)
          .ok());
}

TEST(WeightImage, TakesABiasThatForbidsATokenAsItIs) {
  const Program program = ProgramOf(Spec());
  WeightValues values = NumbersFor(program);
  const auto bias = static_cast<size_t>(program.output().bias);
  values[bias][2] = -INFINITY;
  const auto image = ExpectOk(
      MakeWeightImage(program, WeightsInMemory(program, values), kernels::ComputeType::kFloat16));
  EXPECT_EQ(Read(*image, image->offset[bias], 3, kernels::ComputeType::kFloat32)[2], -INFINITY);
}

}  // namespace
}  // namespace dragoman::engine
