// Tests rows quantized to one byte per number, and their plain products, on a device and emulated,
// against the rule in quantize_rows.h.
#include "kernels/ops/quantize_rows.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <vector>

#include "kernels/base/float8.h"
#include "tests/kernels/ops/emulated_ops.h"
#include "tests/kernels/ops/op_device.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

using QuantizeRowsTest = OnOpDevice;

std::vector<OpDevice> QuantizedDevices() {
  std::vector<OpDevice> devices = LaunchDevices();
  std::erase_if(devices, [](const OpDevice& d) { return d.type == ComputeType::kFloat32; });
  return devices;
}

double Number(QuantizedType type, uint8_t bits) {
  return type == QuantizedType::kFloat8 ? FromFloat8(bits) : static_cast<int8_t>(bits);
}

struct Quantized {
  std::vector<uint8_t> bytes;
  std::vector<float> scales;
};

Quantized Quantize(const OpDevice& device, QuantizedType to, const std::vector<float>& x,
                   int64_t rows, const int32_t* count, int d) {
  const OpNumbers from(device, x);
  const OpArray<uint8_t> bytes(device, std::vector<uint8_t>(x.size() + 16, 0x55));
  const OpArray<float> scales(device, std::vector<float>(static_cast<size_t>(rows) + 1, 5.0F));
  const OpArray<int32_t> there(device, {count == nullptr ? 0 : *count});
  const auto quantized = DRAGOMAN_LAUNCHER(device, QuantizeRows);
  EXPECT_LAUNCHED(quantized(kTestStream, device.type, to, from.data(), rows,
                            count == nullptr ? nullptr : there.data(), d, bytes.data(),
                            scales.data()));
  Quantized result{bytes.Download(), scales.Download()};
  for (size_t i = x.size(); i < result.bytes.size(); ++i) EXPECT_EQ(result.bytes[i], 0x55);
  EXPECT_EQ(result.scales.back(), 5.0F);
  return result;
}

TEST_P(QuantizeRowsTest, NumbersAreTheNearestAndScalesTheRowsLargest) {
  const OpDevice device = GetParam();
  constexpr int kRows = 9;
  for (const QuantizedType to : {QuantizedType::kFloat8, QuantizedType::kInt8}) {
    const float limit = to == QuantizedType::kFloat8 ? 448.0F : 127.0F;
    for (const int d : {8, 64, 264, 512, 1032}) {
      auto x = Rounded(RandomFloats(size_t{kRows} * d, static_cast<uint32_t>(d)), device.type);
      for (int i = 0; i < d; ++i) {
        x[size_t{3} * d + i] = 0.0F;
        x[size_t{4} * d + i] *= 0x1p-10F;
      }
      x = Rounded(x, device.type);
      const Quantized found = Quantize(device, to, x, kRows, nullptr, d);
      for (int row = 0; row < kRows; ++row) {
        const float* const of = x.data() + size_t(row) * d;
        float most = 0;
        for (int i = 0; i < d; ++i) most = std::max(most, std::abs(of[i]));
        ASSERT_EQ(found.scales[row], most / limit);
        for (int i = 0; i < d; ++i) {
          const uint8_t bits = found.bytes[size_t(row) * d + i];
          if (most == 0) {
            ASSERT_EQ(bits, 0);
            continue;
          }
          const float factor = limit / most;
          const uint8_t expected = to == QuantizedType::kFloat8
                                       ? ToFloat8(of[i] * factor)
                                       : static_cast<uint8_t>(static_cast<int8_t>(
                                             std::nearbyint(double{of[i]} * double{factor})));
          ASSERT_EQ(bits, expected) << "row " << row << ", " << i << ": " << of[i];
        }
      }
    }
  }
}

// A row's bytes must not depend on its neighbours. Rows beyond the count must become zeros.
TEST_P(QuantizeRowsTest, BadAndTinyRowsAndRowsBeyondTheCount) {
  const OpDevice device = GetParam();
  constexpr int kD = 72;
  constexpr int kRows = 11;
  const int32_t count = 8;
  for (const QuantizedType to : {QuantizedType::kFloat8, QuantizedType::kInt8}) {
    const auto good = Rounded(RandomFloats(size_t{kRows} * kD, 4), device.type);
    const Quantized expected = Quantize(device, to, good, kRows, nullptr, kD);
    std::vector<float> x = good;
    x[1 * kD + 7] = NAN;
    x[3 * kD + 71] = -INFINITY;
    // The smallest float16 above zero, or a bfloat16 so small that its inverse overflows.
    const float tiny = device.type == ComputeType::kFloat16 ? 0x1p-24F : 0x1p-130F;
    for (int i = 0; i < kD; ++i) x[5 * kD + i] = i % 2 == 0 ? tiny : 0.0F;
    for (int i = 0; i < kD; ++i) x[9 * kD + i] = NAN;
    const Quantized found = Quantize(device, to, x, kRows, &count, kD);
    for (int row = 0; row < kRows; ++row) {
      SCOPED_TRACE(row);
      const auto* const bytes = found.bytes.data() + row * kD;
      const bool zero = std::all_of(bytes, bytes + kD, [](uint8_t b) { return b == 0; });
      if (row == 1 || row == 3) {
        EXPECT_TRUE(std::isnan(found.scales[row]));
        EXPECT_TRUE(zero);
      } else if (row >= count || (row == 5 && tiny < FLT_MIN)) {
        EXPECT_EQ(found.scales[row], 0.0F);
        EXPECT_TRUE(zero);
      } else if (row == 5) {
        EXPECT_NEAR(Number(to, bytes[0]) * found.scales[row], tiny, 1e-6 * tiny);
      } else {
        EXPECT_EQ(found.scales[row], expected.scales[row]);
        EXPECT_TRUE(std::equal(bytes, bytes + kD, expected.bytes.data() + row * kD));
      }
    }
  }
}

TEST_P(QuantizeRowsTest, PlainProductsAreThoseOfTheNumbersAndScales) {
  const OpDevice device = GetParam();
  constexpr int kD = 80;
  constexpr int kRows = 19;
  constexpr int kColumns = 150;
  constexpr int kStride = 160;
  for (const QuantizedType type : {QuantizedType::kFloat8, QuantizedType::kInt8}) {
    const auto x = Rounded(RandomFloats(size_t{kRows} * kD, 5), device.type);
    const auto w = Rounded(RandomFloats(size_t{kColumns} * kD, 6), device.type);
    const Quantized a = Quantize(device, type, x, kRows, nullptr, kD);
    const Quantized b = Quantize(device, type, w, kColumns, nullptr, kD);
    const OpArray<uint8_t> x_bytes(device, a.bytes);
    const OpArray<uint8_t> w_bytes(device, b.bytes);
    const OpArray<float> x_scales(device, a.scales);
    const OpArray<float> w_scales(device, b.scales);
    const OpArray<float> z(device, std::vector<float>(size_t{kRows} * kStride, 9.0F));
    const auto multiply = DRAGOMAN_LAUNCHER(device, MultiplyQuantizedRows);
    EXPECT_LAUNCHED(multiply(kTestStream, type, x_bytes.data(), x_scales.data(), kRows,
                             w_bytes.data(), w_scales.data(), kColumns, kD, z.data(), kStride));
    const std::vector<float> found = z.Download();
    for (int row = 0; row < kRows; ++row) {
      for (int column = 0; column < kStride; ++column) {
        const float value = found[size_t(row) * kStride + column];
        if (column >= kColumns) {
          ASSERT_EQ(value, 9.0F);
          continue;
        }
        double sum = 0;
        double magnitudes = 0;
        double exact = 0;
        for (int k = 0; k < kD; ++k) {
          const double term = Number(type, a.bytes[size_t(row) * kD + k]) *
                              Number(type, b.bytes[size_t(column) * kD + k]);
          sum += term;
          magnitudes += std::abs(term);
          exact += double{x[size_t(row) * kD + k]} * w[size_t(column) * kD + k];
        }
        const double scale = double{a.scales[row]} * b.scales[column];
        ASSERT_NEAR(value, sum * scale, 1e-5 * magnitudes * scale);
        // The products are also near those of the numbers before quantization.
        ASSERT_NEAR(value, exact, 0.1 * magnitudes * scale);
      }
    }
  }
}

DRAGOMAN_FOR_LAUNCH_DEVICES(QuantizeRowsTest, QuantizedDevices());

}  // namespace
}  // namespace dragoman::kernels
