// Tests of the encoder's attention on the CPU, on a device and emulated.
#include "kernels/ops/encoder_attention.h"
#include "tests/kernels/ops/attention_reference.h"
#include "tests/kernels/ops/attention_result.h"
#include "tests/kernels/ops/emulated_ops.h"
#include "tests/kernels/ops/op_device.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

using EncoderAttentionDeviceTest = OnOpDevice;
class EncoderAttentionLaunchTest : public OnOpDevice {};  // for what the CPU does not have

// Lengths of segments: shorter than the rows of a warp, than a tile and than a block, and longer.
const std::vector<int32_t> kLengths = {1, 31, 32, 33, 5, 64, 3, 70, 2, 16, 17, 129};

std::vector<int32_t> Offsets(const std::vector<int32_t>& lengths) {
  std::vector<int32_t> offsets = {0};
  for (const int32_t n : lengths) offsets.push_back(offsets.back() + n);
  return offsets;
}

// Runs the device's operation, or `launcher` instead if it is not null.
AttentionResult AttendTo(const OpDevice& device, const std::vector<float>& qkv,
                         const std::vector<int32_t>& lengths, Heads shape,
                         const RandomBias* bias = nullptr,
                         decltype(&cuda::EncoderAttention) launcher = nullptr) {
  const std::vector<int32_t> offsets = Offsets(lengths);
  const auto segments = static_cast<int64_t>(lengths.size());
  const size_t d = size_t(shape.heads) * shape.head_dim;
  const OpNumbers in(device, qkv);
  const OpArray<int32_t> bounds(device, offsets);
  const OpNumbers out(device, std::vector<float>(size_t(offsets.back()) * d, NAN));
  // The table has exactly its size, because nothing outside of it may be read.
  const OpArray<float> table(device, bias == nullptr ? std::vector<float>(1) : bias->table());
  RelativeBias added;
  if (bias != nullptr) {
    added = bias->View();
    added.table = table.data();
  }
  if (device.launches()) {
    const auto attend =
        launcher != nullptr ? launcher : DRAGOMAN_LAUNCHER(device, EncoderAttention);
    EXPECT_LAUNCHED(attend(kTestStream, device.type, in.data(), bounds.data(), segments,
                           *std::max_element(lengths.begin(), lengths.end()), shape.heads,
                           shape.head_dim, out.data(), added));
  } else {
    OpContext context(device.threads, 1);
    EncoderAttention(context, static_cast<const float*>(in.data()), bounds.data(), segments,
                     shape.heads, shape.head_dim, static_cast<float*>(out.data()), added);
  }
  return {out, d};
}

// `positions` is the number of distances of the bias on each side, or 0 for no bias.
void ExpectAgreesWithDouble(const OpDevice& device, int64_t positions) {
  const bool with_bias = positions > 0;
  const std::vector<int32_t> offsets = Offsets(kLengths);
  for (const Heads s : AttentionShapes(device)) {
    const RandomBias bias(s.heads, std::max<int64_t>(positions, 1), 2, 4);
    const size_t d = size_t(s.heads) * s.head_dim;
    const auto qkv = Rounded(RandomFloats(size_t(offsets.back()) * 3 * d, 1, 1.5F), device.type);
    std::vector<double> expected;
    for (size_t segment = 0; segment < kLengths.size(); ++segment) {
      std::vector<const float*> k;
      std::vector<const float*> v;
      for (int t = offsets[segment]; t < offsets[segment + 1]; ++t) {
        k.push_back(qkv.data() + size_t(t) * 3 * d + d);
        v.push_back(qkv.data() + size_t(t) * 3 * d + 2 * d);
      }
      for (int t = offsets[segment]; t < offsets[segment + 1]; ++t) {
        const auto row = with_bias ? Attend(qkv.data() + size_t(t) * 3 * d, k, v, s, bias.View(),
                                            t - offsets[segment])
                                   : Attend(qkv.data() + size_t(t) * 3 * d, k, v, s);
        expected.insert(expected.end(), row.begin(), row.end());
      }
    }
    // A bias makes the scores larger, and so also the effect of rounding them.
    EXPECT_LT(WorstError(AttendTo(device, qkv, kLengths, s, with_bias ? &bias : nullptr).values,
                         expected),
              (with_bias ? 1.5 : 1.0) * AttentionTolerance(device))
        << s.heads << "x" << s.head_dim;
  }
}

TEST_P(EncoderAttentionDeviceTest, AgreesWithDoubleWithinSegments) {
  ExpectAgreesWithDouble(GetParam(), 0);
}

TEST_P(EncoderAttentionDeviceTest, AddsTheBiasOfItsDistance) {
  ExpectAgreesWithDouble(GetParam(), 129);  // exactly the longest segment
  if (!GetParam().launches()) ExpectAgreesWithDouble(GetParam(), 160);
}

TEST_P(EncoderAttentionDeviceTest, SegmentsAreBitEqualInAnyCompany) {
  const OpDevice device = GetParam();
  const std::vector<int32_t> offsets = Offsets(kLengths);
  const Heads s = {1, 64};
  const size_t d = 64;
  const auto qkv = RandomFloats(size_t(offsets.back()) * 3 * d, 1);
  const RandomBias distances(s.heads, 129, 2, 4);
  for (const RandomBias* bias : {static_cast<const RandomBias*>(nullptr), &distances}) {
    const std::vector<uint8_t> together = AttendTo(device, qkv, kLengths, s, bias).bits;
    std::vector<uint8_t> alone;
    for (size_t i = 0; i < kLengths.size(); ++i) {
      const std::vector<float> own(qkv.begin() + std::ptrdiff_t(offsets[i] * 3 * d),
                                   qkv.begin() + std::ptrdiff_t(offsets[i + 1] * 3 * d));
      const auto bits = AttendTo(Alone(device), own, {kLengths[i]}, s, bias).bits;
      alone.insert(alone.end(), bits.begin(), bits.end());
    }
    EXPECT_EQ(together, alone);
  }
}

// Cards of compute capability below 8.0 use code without tensor cores. In f32 all cards use that
// code. The two versions must agree, in f32 to the bit.
TEST_P(EncoderAttentionLaunchTest, OlderCardsComputeTheSame) {
  const OpDevice device = GetParam();
  if (!device.emulated) GTEST_SKIP() << "both ways can only be emulated in one process";
  const std::vector<int32_t> offsets = Offsets(kLengths);
  for (const Heads s : {Heads{2, 64}, {1, 32}, {1, 128}, {3, 8}, {1, 80}}) {
    const size_t d = size_t(s.heads) * s.head_dim;
    const auto qkv = RandomFloats(size_t(offsets.back()) * 3 * d, 1, 1.5F);
    const RandomBias bias(s.heads, 129, 2, 4);
    const AttentionResult now = AttendTo(device, qkv, kLengths, s, &bias);
    const AttentionResult plain =
        AttendTo(device, qkv, kLengths, s, &bias, cuda::EmulatedPlainEncoderAttention);
    if (device.type == ComputeType::kFloat32) {
      EXPECT_EQ(now.bits, plain.bits);
      continue;
    }
    EXPECT_NE(now.bits, plain.bits) << "not two ways";
    const std::vector<double> expected(plain.values.begin(), plain.values.end());
    EXPECT_LT(WorstError(now.values, expected), 2 * AttentionTolerance(device))
        << s.heads << "x" << s.head_dim;
  }
}

TEST_P(EncoderAttentionLaunchTest, RefusesOtherHeads) {
  const OpDevice device = GetParam();
  const auto attend = DRAGOMAN_LAUNCHER(device, EncoderAttention);
  for (const int head_dim : {0, 4, 20, 136}) {
    EXPECT_NE(attend(kTestStream, device.type, nullptr, nullptr, 1, 1, 1, head_dim, nullptr, {}),
              cuda::Error::kNone);
  }
}

DRAGOMAN_FOR_EVERY_DEVICE_AND_EMULATION(EncoderAttentionDeviceTest);
DRAGOMAN_FOR_LAUNCH_DEVICES(EncoderAttentionLaunchTest, LaunchDevices());

}  // namespace
}  // namespace dragoman::kernels
