// Tests of products of few rows, on a device and emulated. In the emulation, the order of a sum is
// known, so results are compared bit by bit. A row's result must depend on that row alone.
#include "kernels/ops/few_rows.h"

#include <algorithm>
#include <cmath>

#include "kernels/cuda/device.h"
#include "tests/kernels/ops/emulated_ops.h"
#include "tests/kernels/ops/op_device.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

using cuda::FewRows;

// The product needs the tensor cores of compute capability 8.0. An older card must refuse it.
class FewRowsTest : public OnOpDevice {
 protected:
  void SetUp() override {
    OnOpDevice::SetUp();
    if (IsSkipped() || !GetParam().cuda) return;
#ifdef DRAGOMAN_HAVE_CUDA
    cuda::DeviceInfo info;
    EXPECT_EQ(cuda::Describe(cuda::CurrentDevice(), &info), cuda::Error::kNone);
    if (info.major >= 8) return;
    EXPECT_FALSE(
        cuda::TakesFewRows({.in = 512, .out = 512, .y_stride = 512, .type = GetParam().type}));
    GTEST_SKIP() << "no such tensor cores on " << info.name;
#endif
  }
};

// The numbers of one product, rounded to the device's type.
struct Problem {
  int in = 0;
  int out = 0;
  bool with_bias = false;
  Activation activation = Activation::kNone;
  int64_t y_stride = 0;
  std::vector<float> w, bias, x;  // x has kMostFewRows rows
};

Problem Make(const OpDevice& device, int in, int out, bool with_bias, Activation activation,
             int padding) {
  const auto k = static_cast<size_t>(in);
  const auto n = static_cast<size_t>(out);
  Problem p{in, out, with_bias, activation, out + padding, {}, {}, {}};
  p.w = Rounded(RandomFloats(k * n, 1), device.type);
  p.bias = Rounded(RandomFloats(n, 2), device.type);
  p.x = Rounded(RandomFloats(k * cuda::kMostFewRows, 3), device.type);
  return p;
}

constexpr float kUntouched = 7.0F;

// Returns y for rows first .. first + rows - 1 of x, which are alone in memory.
std::vector<float> Computed(const OpDevice& device, const Problem& p, int first, int rows) {
  const auto k = static_cast<size_t>(p.in);
  const OpNumbers w(device, p.w);
  const OpNumbers bias(device, p.bias);
  const auto begin = p.x.begin() + std::ptrdiff_t(size_t(first) * k);
  const OpNumbers x(device, {begin, begin + std::ptrdiff_t(size_t(rows) * k)});
  const OpNumbers y(device, std::vector<float>(size_t(rows + 1) * size_t(p.y_stride), kUntouched));
  const FewRows product = {.in = p.in,
                           .out = p.out,
                           .y_stride = p.y_stride,
                           .type = device.type,
                           .weight = w.data(),
                           .bias = p.with_bias ? bias.data() : nullptr,
                           .activation = p.activation};
  EXPECT_TRUE(DRAGOMAN_LAUNCHER(device, TakesFewRows)(product));
  const auto multiply = DRAGOMAN_LAUNCHER(device, MultiplyFewRows);
  EXPECT_LAUNCHED(multiply(kTestStream, product, x.data(), rows, y.data()));
  return y.Download();
}

// Sums like the instruction: adds 16 exact products to the f32 sum and rounds once.
float Sum(const Problem& p, int row, int column) {
  float sum = 0.0F;
  for (int k = 0; k < p.in; k += 16) {
    double part = 0.0;
    for (int i = k; i < k + 16; ++i) {
      part += double{p.w[size_t(column) * size_t(p.in) + size_t(i)]} *
              double{p.x[size_t(row) * size_t(p.in) + size_t(i)]};
    }
    sum = static_cast<float>(double{sum} + part);
  }
  if (p.with_bias) sum += p.bias[size_t(column)];
  return p.activation == Activation::kRelu && sum < 0.0F ? 0.0F : sum;
}

TEST_P(FewRowsTest, SumsInTheOrderOfK) {
  const OpDevice device = GetParam();
  int number = 0;
  for (const int in : {32, 96, 512, 2048}) {
    for (const int out : {8, 80}) {
      ++number;
      const Problem p =
          Make(device, in, out, number % 2 == 0,
               number % 3 == 0 ? Activation::kRelu : Activation::kNone, number % 4 == 0 ? 16 : 0);
      for (const int rows : {1, 3, 8, 11, cuda::kMostFewRows}) {
        const std::vector<float> y = Computed(device, p, 0, rows);
        std::vector<float> expected;
        for (int r = 0; r < rows; ++r) {
          for (int c = 0; c < out; ++c) expected.push_back(Sum(p, r, c));
        }
        const std::vector<float> rounded = Rounded(expected, device.type);
        for (int r = 0; r <= rows; ++r) {
          for (int c = 0; c < p.y_stride; ++c) {
            const float found = y[size_t(r) * size_t(p.y_stride) + size_t(c)];
            if (r == rows || c >= out) {
              ASSERT_EQ(found, kUntouched) << r << " " << c;
              continue;
            }
            const size_t at = size_t(r) * size_t(out) + size_t(c);
            if (device.emulated) {
              ASSERT_EQ(found, rounded[at]) << in << "x" << out << " " << r << " " << c;
            } else {
              ASSERT_NEAR(found, expected[at], device.unit() * (1.0 + std::abs(expected[at])) * 2)
                  << in << "x" << out << " " << r << " " << c;
            }
          }
        }
      }
    }
  }
}

TEST_P(FewRowsTest, ARowHasTheSameBitsAtEveryPlaceAndInAnyCompany) {
  const OpDevice device = GetParam();
  const Problem p = Make(device, 160, 48, true, Activation::kNone, 0);
  const std::vector<float> all = Computed(device, p, 0, cuda::kMostFewRows);
  for (int first = 0; first < cuda::kMostFewRows; ++first) {
    for (int rows = 1; first + rows <= cuda::kMostFewRows; ++rows) {
      const std::vector<float> some = Computed(device, p, first, rows);
      ASSERT_TRUE(SameBits(some.data(), all.data() + size_t(first) * size_t(p.out),
                           size_t(rows) * size_t(p.out)))
          << first << " " << rows;
    }
  }
}

TEST_P(FewRowsTest, AnActivationIsThatOfAPassOfItsOwn) {
  const OpDevice device = GetParam();
  const auto activate = DRAGOMAN_LAUNCHER(device, Activate);
  for (const Activation activation : kAllActivations) {
    const Problem p = Make(device, 96, 32, true, activation, 0);
    Problem plain = p;
    plain.activation = Activation::kNone;
    std::vector<float> sums = Computed(device, plain, 0, cuda::kMostFewRows);
    sums.resize(size_t{cuda::kMostFewRows} * size_t(p.out));
    const OpNumbers expected(device, sums);
    EXPECT_LAUNCHED(activate(kTestStream, device.type, activation, cuda::kMostFewRows, nullptr,
                             p.out, expected.data()));
    std::vector<float> found = Computed(device, p, 0, cuda::kMostFewRows);
    found.resize(sums.size());
    EXPECT_TRUE(SameBits(found.data(), expected.Download().data(), found.size()))
        << static_cast<int>(activation);
  }
}

TEST_P(FewRowsTest, TakesWhatItsBlocksHold) {
  const OpDevice device = GetParam();
  const auto takes = DRAGOMAN_LAUNCHER(device, TakesFewRows);
  const FewRows fit{.in = 2048, .out = 512, .y_stride = 512, .type = device.type};
  EXPECT_TRUE(takes(fit));
  for (const int in : {0, 16, 2056, 8192}) {
    FewRows product = fit;
    product.in = in;
    EXPECT_FALSE(takes(product)) << in;
  }
  for (const int out : {0, 4, 58101}) {
    FewRows product = fit;
    product.out = out;
    EXPECT_FALSE(takes(product)) << out;
  }
  FewRows odd = fit;
  odd.y_stride = 513;
  EXPECT_FALSE(takes(odd));
  FewRows wide = fit;
  wide.type = ComputeType::kFloat32;
  EXPECT_FALSE(takes(wide));
}

TEST_P(FewRowsTest, MoreRowsAreAnErrorAndNoneAreNothing) {
  const OpDevice device = GetParam();
  const auto multiply = DRAGOMAN_LAUNCHER(device, MultiplyFewRows);
  const FewRows product{.in = 32, .out = 16, .y_stride = 16, .type = device.type};
  EXPECT_NE(multiply(kTestStream, product, nullptr, cuda::kMostFewRows + 1, nullptr),
            cuda::Error::kNone);
  EXPECT_LAUNCHED(multiply(kTestStream, product, nullptr, 0, nullptr));
}

std::vector<OpDevice> QuantizedDevices() {
  std::vector<OpDevice> devices = LaunchDevices();
  std::erase_if(devices,
                [](const OpDevice& device) { return device.type == ComputeType::kFloat32; });
  return devices;
}
DRAGOMAN_FOR_LAUNCH_DEVICES(FewRowsTest, QuantizedDevices());

}  // namespace
}  // namespace dragoman::kernels
