// Tests of the int8 products of layers, on a device and emulated. Every element must have the bits
// of the rule in quantized_linear.h, in every form and for many shapes.
#include "kernels/ops/quantized_linear.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/kernels/ops/emulated_ops.h"
#include "tests/kernels/ops/op_device.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

using cuda::QuantizedForm;
using cuda::QuantizedProduct;

using QuantizedLinearTest = OnOpDevice;

constexpr float kUntouched = 7.0F;
constexpr uint8_t kGuard = 0x5a;

// Returns the forms that take this number of rows. kAuto chooses one of them.
std::vector<QuantizedForm> FormsFor(int rows) {
  std::vector<QuantizedForm> forms = {QuantizedForm::kSmall, QuantizedForm::kLarge};
  if (rows <= cuda::kMostQuantizedFewRows) forms.push_back(QuantizedForm::kFew);
  return forms;
}

// Quantized rows and their scales, in the memory of the device and of the host.
struct Quantized {
  Quantized(const OpDevice& device, const std::vector<float>& x, int64_t rows, int d)
      : bytes(device, std::vector<uint8_t>(x.size())),
        scales(device, std::vector<float>(static_cast<size_t>(rows))) {
    const OpNumbers from(device, x);
    const auto quantized = DRAGOMAN_LAUNCHER(device, QuantizeRows);
    EXPECT_LAUNCHED(quantized(kTestStream, device.type, QuantizedType::kInt8, from.data(), rows,
                              nullptr, d, bytes.data(), scales.data()));
    host_bytes = bytes.Download();
    host_scales = scales.Download();
  }

  OpArray<uint8_t> bytes;
  OpArray<float> scales;
  std::vector<uint8_t> host_bytes;
  std::vector<float> host_scales;
};

// The numbers of one product, rounded to the device's type.
struct Problem {
  Problem(const OpDevice& on, int in_, int out_, int rows_, bool with_bias_)
      : device(on),
        in(in_),
        out(out_),
        rows(rows_),
        with_bias(with_bias_),
        x(Rounded(RandomFloats(size_t(in) * size_t(rows), 3), on.type)),
        bias(Rounded(RandomFloats(size_t(out), 2), on.type)),
        w(std::make_shared<Quantized>(
            on, Rounded(RandomFloats(size_t(in) * size_t(out), 1), on.type), out, in)) {}

  OpDevice device;
  int in, out, rows;
  bool with_bias;
  std::vector<float> x, bias;
  std::shared_ptr<const Quantized> w;
};

// Which MultiplyQuantized to run: the device's own, or, in the emulation, the one for cards of
// compute capability below 8.0.
enum class Code { kOwn, kBefore8 };

// Returns y for rows first .. first + rows - 1 of x, which are alone in memory.
std::vector<float> Computed(const Problem& p, QuantizedForm form, int first, int rows,
                            Activation activation = Activation::kNone,
                            const int32_t* count = nullptr, Code code = Code::kOwn) {
  const auto begin = p.x.begin() + std::ptrdiff_t(first) * p.in;
  const OpNumbers x(p.device, {begin, begin + std::ptrdiff_t(rows) * p.in});
  const OpNumbers bias(p.device, p.bias);
  const OpNumbers y(p.device, std::vector<float>(size_t(rows + 1) * size_t(p.out), kUntouched));
  const auto bytes = static_cast<size_t>(cuda::QuantizedWorkspaceBytes(rows, p.in));
  const OpArray<uint8_t> workspace(p.device, std::vector<uint8_t>(bytes + 16, kGuard));
  const OpArray<int32_t> there(p.device, {count == nullptr ? 0 : *count});
  QuantizedProduct product;
  product.in = p.in;
  product.out = p.out;
  product.type = p.device.type;
  product.weight = p.w->bytes.data();
  product.scales = p.w->scales.data();
  product.bias = p.with_bias ? bias.data() : nullptr;
  product.activation = activation;
  product.form = form;
  EXPECT_EQ(DRAGOMAN_LAUNCHER(p.device, PrepareQuantizedProduct)(&product), "");
  const auto multiply = code == Code::kOwn ? DRAGOMAN_LAUNCHER(p.device, MultiplyQuantized)
                                           : &cuda::EmulatedPlainMultiplyQuantized;
  EXPECT_LAUNCHED(multiply(kTestStream, product, x.data(), rows,
                           count == nullptr ? nullptr : there.data(), workspace.data(), y.data()));
  const std::vector<uint8_t> after = workspace.Download();
  for (size_t i = bytes; i < after.size(); ++i) EXPECT_EQ(after[i], kGuard);
  std::vector<float> found = y.Download();
  for (size_t i = size_t(rows) * size_t(p.out); i < found.size(); ++i) {
    EXPECT_EQ(found[i], kUntouched) << "beyond the rows";
  }
  found.resize(size_t(rows) * size_t(p.out));
  return found;
}

// Returns all of y by the rule.
std::vector<float> Expected(const Problem& p) {
  const Quantized x(p.device, p.x, p.rows, p.in);
  std::vector<float> y;
  for (size_t row = 0; row < size_t(p.rows); ++row) {
    const uint8_t* const a = x.host_bytes.data() + row * size_t(p.in);
    for (size_t column = 0; column < size_t(p.out); ++column) {
      const uint8_t* const b = p.w->host_bytes.data() + column * size_t(p.in);
      int64_t sum = 0;
      for (int k = 0; k < p.in; ++k) sum += int64_t{int8_t(a[k])} * int8_t(b[k]);
      const float scale = x.host_scales[row] * p.w->host_scales[column];
      const float bias = p.with_bias ? p.bias[column] : 0.0F;
      y.push_back(std::fmaf(static_cast<float>(sum), scale, bias));
    }
  }
  return Rounded(y, p.device.type);
}

std::string Where(const Problem& p, QuantizedForm form) {
  return std::to_string(p.rows) + " rows of " + std::to_string(p.in) + " by " +
         std::to_string(p.out) + ", form " + std::to_string(static_cast<int>(form));
}

TEST_P(QuantizedLinearTest, EveryElementIsThatOfTheRuleInEveryForm) {
  int number = 0;
  for (const int in : {32, 96, 544}) {
    for (const int out : {8, 72, 136}) {
      for (const int rows : {1, 16, 17, 70, 300}) {
        // Emulated products are slow, so large shapes have many slabs of one tile or many tiles of
        // one slab, but not both.
        if (in == 544 && (out == 136 || rows == 1 || rows > 17)) continue;
        if (rows == 70 && in != 96) continue;
        if (rows == 300 && (in != 32 || out != 136)) continue;
        const Problem p(GetParam(), in, out, rows, ++number % 2 == 0);
        const std::vector<float> expected = Expected(p);
        for (const QuantizedForm form : FormsFor(rows)) {
          const std::vector<float> found = Computed(p, form, 0, rows);
          ASSERT_TRUE(SameBits(found.data(), expected.data(), expected.size())) << Where(p, form);
        }
      }
    }
  }
}

// Some sums exceed 2^24, so f32 has to round them. They have either sign.
TEST_P(QuantizedLinearTest, TheLargestSumsAreExact) {
  Problem p(GetParam(), 2048, 16, 33, true);
  for (size_t row = 0; row < size_t(p.rows); ++row) {
    for (size_t k = 0; k < size_t(p.in); ++k) {
      float& x = p.x[row * size_t(p.in) + k];
      x = (row % 2 == 0 ? 1.0F : -1.0F) * (k < 8 * row ? 0.5F : 1.0F);
    }
  }
  p.w = std::make_shared<Quantized>(
      GetParam(), std::vector<float>(size_t(p.in) * size_t(p.out), 1.0F), p.out, p.in);
  const std::vector<float> expected = Expected(p);
  for (const QuantizedForm form : {QuantizedForm::kSmall, QuantizedForm::kLarge}) {
    const std::vector<float> found = Computed(p, form, 0, p.rows);
    ASSERT_TRUE(SameBits(found.data(), expected.data(), expected.size())) << Where(p, form);
  }
  const std::vector<float> few = Computed(p, QuantizedForm::kFew, 0, 16);
  EXPECT_TRUE(SameBits(few.data(), expected.data(), few.size()));
}

TEST_P(QuantizedLinearTest, ARowHasTheSameBitsAtEveryPlaceAndInAnyCompany) {
  const Problem p(GetParam(), 96, 24, 140, true);
  const std::vector<float> all = Computed(p, QuantizedForm::kAuto, 0, p.rows);
  for (const int rows : {1, 16, 17, 65, 129}) {
    for (const int first : {0, 5, p.rows - rows}) {
      if (first + rows > p.rows) continue;
      for (const QuantizedForm form : FormsFor(rows)) {
        const std::vector<float> some = Computed(p, form, first, rows);
        ASSERT_TRUE(SameBits(some.data(), all.data() + size_t(first) * size_t(p.out), some.size()))
            << rows << " rows from " << first << ", form " << static_cast<int>(form);
      }
    }
  }
}

TEST_P(QuantizedLinearTest, AnActivationIsThatOfAPassOfItsOwn) {
  const Problem p(GetParam(), 32, 40, 20, true);
  const auto activate = DRAGOMAN_LAUNCHER(p.device, Activate);
  for (const Activation activation : kAllActivations) {
    for (const int rows : {9, 20}) {
      for (const QuantizedForm form : FormsFor(rows)) {
        if (rows == 20 && form == QuantizedForm::kLarge) continue;  // same code as kSmall
        const OpNumbers expected(p.device, Computed(p, form, 0, rows));
        EXPECT_LAUNCHED(activate(kTestStream, p.device.type, activation, rows, nullptr, p.out,
                                 expected.data()));
        const std::vector<float> found = Computed(p, form, 0, rows, activation);
        EXPECT_TRUE(SameBits(found.data(), expected.Download().data(), found.size()))
            << static_cast<int>(activation) << ", form " << static_cast<int>(form);
      }
    }
  }
}

// Rows beyond the count may contain anything and must not affect other rows. A row with a NaN must
// give NaNs, and no other row may.
TEST_P(QuantizedLinearTest, RowsBeyondTheCountAndBadRowsStayByThemselves) {
  Problem p(GetParam(), 64, 24, 150, true);
  const std::vector<float> expected = Expected(p);
  for (const int32_t count : {1, 13, 16, 64, 70, 140}) {
    Problem bad = p;
    std::fill(bad.x.begin() + std::ptrdiff_t(count) * p.in, bad.x.end(), NAN);
    bad.x[size_t(count - 1) * size_t(p.in) + 40] = NAN;
    for (const int rows : {16, 150}) {
      if (count > rows) continue;
      for (const QuantizedForm form : FormsFor(rows)) {
        const std::vector<float> found = Computed(bad, form, 0, rows, Activation::kNone, &count);
        const size_t good = size_t(count - 1) * size_t(p.out);
        EXPECT_TRUE(SameBits(found.data(), expected.data(), good)) << Where(p, form);
        for (int i = 0; i < p.out; ++i) {
          EXPECT_TRUE(std::isnan(found[good + size_t(i)])) << Where(p, form);
        }
      }
    }
  }
}

// In that code the threads themselves store the slabs, and each product is four smaller ones.
TEST_P(QuantizedLinearTest, TheCodeForCardsBefore8HasTheSameBits) {
  if (!GetParam().emulated) GTEST_SKIP() << "a card has one of the two";
  for (const auto& [in, out, rows] : {std::tuple{32, 8, 3}, {224, 72, 70}, {96, 136, 140}}) {
    const Problem p(GetParam(), in, out, rows, true);
    for (const QuantizedForm form : FormsFor(rows)) {
      const auto own = Computed(p, form, 0, rows, Activation::kSwish);
      const auto before = Computed(p, form, 0, rows, Activation::kSwish, nullptr, Code::kBefore8);
      EXPECT_TRUE(SameBits(own.data(), before.data(), own.size())) << Where(p, form);
    }
  }
}

TEST_P(QuantizedLinearTest, OtherTypesAndShapesAreRefusedWithTheReason) {
  const OpDevice device = GetParam();
  const auto prepare = DRAGOMAN_LAUNCHER(device, PrepareQuantizedProduct);
  QuantizedProduct product{.in = 64, .out = 16, .type = device.type};
  EXPECT_EQ(prepare(&product), "");
  EXPECT_GT(product.multiprocessors, 0);
  for (const auto& [in, out] : {std::pair{48, 16}, {0, 16}, {64, 12}, {64, 0}}) {
    QuantizedProduct odd{.in = in, .out = out, .type = device.type};
    EXPECT_EQ(prepare(&odd), "a product of " + std::to_string(in) + " inputs and " +
                                 std::to_string(out) + " outputs, expected multiples of 32 and 8");
  }
  QuantizedProduct wide{.in = 64, .out = 16, .type = ComputeType::kFloat32};
  EXPECT_EQ(prepare(&wide), "float32 has no such products, float16 and bfloat16 have");
  const auto multiply = DRAGOMAN_LAUNCHER(device, MultiplyQuantized);
  EXPECT_LAUNCHED(multiply(kTestStream, product, nullptr, 0, nullptr, nullptr, nullptr));
  product.form = QuantizedForm::kFew;
  EXPECT_NE(multiply(kTestStream, product, nullptr, 17, nullptr, nullptr, nullptr),
            cuda::Error::kNone);
}

// A few rows take one kernel, which also quantizes them. More rows take two kernels. An activation
// that these kernels do not apply takes another.
TEST_P(QuantizedLinearTest, NodesAreThoseThatAreLaunched) {
  const OpDevice device = GetParam();
  const auto nodes = DRAGOMAN_LAUNCHER(device, QuantizedProductNodes);
  const auto expect = [&](Activation activation, int rows, int expected) {
    QuantizedProduct product{.in = 64, .out = 16, .type = device.type, .activation = activation};
    EXPECT_EQ(DRAGOMAN_LAUNCHER(device, PrepareQuantizedProduct)(&product), "");
    EXPECT_EQ(nodes(product, rows), expected);
    if (!device.emulated) return;
    const Problem p(device, 64, 16, rows, false);
    const int64_t before = emulation::launches;
    Computed(p, QuantizedForm::kAuto, 0, rows, activation);
    EXPECT_EQ(emulation::launches - before, expected);
  };
  expect(Activation::kSwish, 16, 1);
  expect(Activation::kNone, 17, 2);
  expect(Activation::kGelu, 16, 2);
  expect(Activation::kGelu, 17, 3);
}

std::vector<OpDevice> QuantizedDevices() {
  std::vector<OpDevice> devices = LaunchDevices();
  std::erase_if(devices, [](const OpDevice& d) { return d.type == ComputeType::kFloat32; });
  return devices;
}
DRAGOMAN_FOR_LAUNCH_DEVICES(QuantizedLinearTest, QuantizedDevices());

}  // namespace
}  // namespace dragoman::kernels
