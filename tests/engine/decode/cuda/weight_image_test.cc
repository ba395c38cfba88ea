// A model's weights as one block for a device.
#include "engine/decode/cuda/weight_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "engine/decode/cuda/narrow.h"

namespace dragoman {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int kWidth = 8;
constexpr int kFfn = 16;
constexpr int kVocabulary = 5;

// Numbers that tell every element from every other, and that float16 holds as they are.
class Numbers {
 public:
  Matrix Of(int rows, int cols) {
    Matrix m{rows, cols, {}};
    m.data = Of(static_cast<size_t>(rows) * static_cast<size_t>(cols));
    return m;
  }
  std::vector<float> Of(size_t count) {
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(next_++ % 2048);
    return values;
  }
  LinearWeights Linear(int out, int in) { return {Of(out, in), Of(static_cast<size_t>(out))}; }
  AttentionWeights Attention() {
    return {Linear(kWidth, kWidth), Linear(kWidth, kWidth), Linear(kWidth, kWidth),
            Linear(kWidth, kWidth)};
  }
  NormWeights Norm() { return {Of(size_t{kWidth}), Of(size_t{kWidth})}; }

 private:
  int next_ = 0;
};

ModelSpec Spec() {
  ModelSpec spec;
  spec.shape = {kWidth, 1, 2, 1, 1, kFfn, kFfn, kVocabulary, kVocabulary, 4};
  return spec;
}

TransformerWeights Weights() {
  Numbers numbers;
  TransformerWeights w;
  w.source_embedding = numbers.Of(kVocabulary, kWidth);
  w.output_bias = numbers.Of(size_t{kVocabulary});
  w.encoder_positions = numbers.Of(4, kWidth);
  w.decoder_positions = numbers.Of(4, kWidth);
  w.encoder.push_back({numbers.Attention(), numbers.Norm(), numbers.Linear(kFfn, kWidth),
                       numbers.Linear(kWidth, kFfn), numbers.Norm()});
  for (int l = 0; l < 2; ++l) {
    w.decoder.push_back({numbers.Attention(), numbers.Norm(), numbers.Attention(), numbers.Norm(),
                         numbers.Linear(kFfn, kWidth), numbers.Linear(kWidth, kFfn),
                         numbers.Norm()});
  }
  return w;
}

std::vector<float> Read(const WeightImage& image, int64_t place, size_t count, ComputeType type) {
  std::vector<float> values(count);
  const auto element = static_cast<size_t>(ElementBytes(type));
  for (size_t i = 0; i < count; ++i) {
    const uint8_t* from = image.bytes.data() + static_cast<size_t>(place) + i * element;
    if (type == ComputeType::kFloat32) {
      std::memcpy(&values[i], from, element);
    } else {
      uint16_t narrow = 0;
      std::memcpy(&narrow, from, element);
      values[i] = type == ComputeType::kFloat16 ? FromFloat16(narrow) : FromBFloat16(narrow);
    }
  }
  return values;
}

std::vector<float> Joined(std::initializer_list<std::vector<float>> parts) {
  std::vector<float> all;
  for (const std::vector<float>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

class WeightImageTest : public ::testing::TestWithParam<ComputeType> {};

TEST_P(WeightImageTest, HoldsEveryTensorAtItsPlace) {
  const ComputeType type = GetParam();
  const TransformerWeights w = Weights();
  const auto made = MakeWeightImage(Spec(), w, type);
  ASSERT_TRUE(made.ok()) << made.status();
  const WeightImage& image = *made;
  const auto expect = [&](int64_t place, ComputeType in, const std::vector<float>& values) {
    EXPECT_EQ(place % kWeightAlignment, 0);
    std::vector<float> rounded = values;
    if (in == ComputeType::kBFloat16) {
      for (float& value : rounded) value = FromBFloat16(ToBFloat16(value));
    }
    EXPECT_EQ(Read(image, place, values.size(), in), rounded);
  };
  const auto expect_linear = [&](const LinearPlace& place, const LinearWeights& linear) {
    EXPECT_EQ(place.in, linear.weight.cols);
    EXPECT_EQ(place.out, linear.weight.rows);
    expect(place.weight, type, linear.weight.data);
    expect(place.bias, type, linear.bias);
  };
  const auto expect_norm = [&](const NormPlace& place, const NormWeights& norm) {
    expect(place.gamma, ComputeType::kFloat32, norm.gamma);
    expect(place.beta, ComputeType::kFloat32, norm.beta);
  };
  const auto expect_self = [&](const SelfAttentionPlace& place, const AttentionWeights& a,
                               const NormWeights& norm) {
    EXPECT_EQ(place.query_key_value.out, 3 * kWidth);
    expect(place.query_key_value.weight, type,
           Joined({a.query.weight.data, a.key.weight.data, a.value.weight.data}));
    expect(place.query_key_value.bias, type, Joined({a.query.bias, a.key.bias, a.value.bias}));
    expect_linear(place.output, a.output);
    expect_norm(place.norm, norm);
  };
  expect(image.source_embedding, type, w.source_embedding.data);
  expect(image.encoder_positions, ComputeType::kFloat32, w.encoder_positions.data);
  expect(image.decoder_positions, ComputeType::kFloat32, w.decoder_positions.data);
  expect(image.output.bias, ComputeType::kFloat32, w.output_bias);
  ASSERT_EQ(image.encoder.size(), 1U);
  expect_self(image.encoder[0].self, w.encoder[0].self, w.encoder[0].self_norm);
  expect_linear(image.encoder[0].ffn.up, w.encoder[0].ffn_up);
  expect_linear(image.encoder[0].ffn.down, w.encoder[0].ffn_down);
  expect_norm(image.encoder[0].ffn.norm, w.encoder[0].ffn_norm);
  ASSERT_EQ(image.decoder.size(), 2U);
  for (size_t l = 0; l < 2; ++l) {
    const DecoderLayerWeights& from = w.decoder[l];
    expect_self(image.decoder[l].self, from.self, from.self_norm);
    expect_linear(image.decoder[l].cross.query, from.cross.query);
    expect_linear(image.decoder[l].cross.output, from.cross.output);
    expect_norm(image.decoder[l].cross.norm, from.cross_norm);
    expect_linear(image.decoder[l].ffn.up, from.ffn_up);
    expect_linear(image.decoder[l].ffn.down, from.ffn_down);
    expect_norm(image.decoder[l].ffn.norm, from.ffn_norm);

    const LinearPlace part = PartOf(image.cross_key_value, 2, static_cast<int>(l), type);
    EXPECT_EQ(part.in, kWidth);
    EXPECT_EQ(part.out, 2 * kWidth);
    std::vector<float> expected =
        Joined({from.cross.key.weight.data, from.cross.value.weight.data});
    std::vector<float> bias = Joined({from.cross.key.bias, from.cross.value.bias});
    if (type == ComputeType::kBFloat16) {
      for (float& value : expected) value = FromBFloat16(ToBFloat16(value));
      for (float& value : bias) value = FromBFloat16(ToBFloat16(value));
    }
    EXPECT_EQ(Read(image, part.weight, expected.size(), type), expected);
    EXPECT_EQ(Read(image, part.bias, bias.size(), type), bias);
  }
}

TEST_P(WeightImageTest, KeepsSharedMatricesOnce) {
  TransformerWeights w = Weights();
  const auto tied = MakeWeightImage(Spec(), w, GetParam());
  ASSERT_TRUE(tied.ok()) << tied.status();
  EXPECT_EQ(tied->target_embedding, tied->source_embedding);
  EXPECT_EQ(tied->output.weight, tied->source_embedding);
  w.target_embedding = Numbers().Of(kVocabulary, kWidth);
  w.output = Numbers().Of(kVocabulary, kWidth);
  const auto apart = MakeWeightImage(Spec(), w, GetParam());
  ASSERT_TRUE(apart.ok()) << apart.status();
  EXPECT_NE(apart->target_embedding, apart->source_embedding);
  EXPECT_NE(apart->output.weight, apart->target_embedding);
  EXPECT_GT(apart->bytes.size(), tied->bytes.size());
}

INSTANTIATE_TEST_SUITE_P(Types, WeightImageTest,
                         ::testing::Values(ComputeType::kFloat32, ComputeType::kFloat16,
                                           ComputeType::kBFloat16),
                         [](const auto& info) { return ComputeTypeName(info.param); });

TEST(WeightImage, NamesTheTensorThatDoesNotFit) {
  TransformerWeights w = Weights();
  w.decoder[1].ffn_down.weight.data[3] = 1e5F;
  const auto half = MakeWeightImage(Spec(), w, ComputeType::kFloat16);
  ASSERT_FALSE(half.ok());
  EXPECT_EQ(half.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(half.status().message()),
              AllOf(HasSubstr("decoder layer 1: feed-forward down"), HasSubstr("100000"),
                    HasSubstr("bfloat16")));
  EXPECT_TRUE(MakeWeightImage(Spec(), w, ComputeType::kBFloat16).ok());
  EXPECT_TRUE(MakeWeightImage(Spec(), w, ComputeType::kFloat32).ok());
}

TEST(WeightImage, TakesABiasThatForbidsATokenAsItIs) {
  TransformerWeights w = Weights();
  w.output_bias[2] = -INFINITY;
  const auto image = MakeWeightImage(Spec(), w, ComputeType::kFloat16);
  ASSERT_TRUE(image.ok()) << image.status();
  EXPECT_EQ(Read(*image, image->output.bias, 3, ComputeType::kFloat32)[2], -INFINITY);
}

}  // namespace
}  // namespace dragoman
