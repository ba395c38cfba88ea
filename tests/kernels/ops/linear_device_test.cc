// Tests of matrix products on the CPU and on a device, where cuBLASLt computes them.
#include <memory>
#include <numeric>

#include "kernels/ops/linear.h"
#include "kernels/ops/linear_cuda.h"
#include "tests/kernels/ops/activation_reference.h"
#include "tests/kernels/ops/op_device.h"
#include "tests/kernels/ops/test_support.h"

#ifdef DRAGOMAN_HAVE_CUDA
#include <cuda_runtime_api.h>
#endif

namespace dragoman::kernels {
namespace {

struct Case {
  int in = 0;
  int out = 0;
  Activation activation = Activation::kNone;
  bool bias = true;
  bool float_output = false;  // for a device; the CPU's output is always f32
  bool per_bucket = false;
  int64_t y_stride = 0;
};

const std::vector<int> kBuckets = {8, 16, 32, 64, 128, 192, 300};

// One product with random weights, its memory, and a way to run it on the host's numbers.
class TestLinear {
 public:
  TestLinear(const OpDevice& device, const Case& c)
      : device_(device),
        case_(c),
        y_device_{device.cuda, c.float_output ? ComputeType::kFloat32 : device.type},
        w_(Rounded(RandomFloats(size_t(c.in) * c.out, 1, 1.0F / std::sqrt(float(c.in))),
                   device.type)),
        b_(c.bias ? Rounded(RandomFloats(c.out, 2), y_device_.type) : std::vector<float>()),
        at_w_(device, w_),
        at_b_(y_device_, b_) {
    const float* bias = c.bias ? b_.data() : nullptr;
    if (!device.cuda) {
      on_cpu_ = Linear::Create(w_.data(), bias, c.in, c.out, c.activation);
      return;
    }
#ifdef DRAGOMAN_HAVE_CUDA
    std::string why;
    blas_ = cuda::Blas::Create(&why);
    if (blas_ == nullptr) {
      ADD_FAILURE() << why;
      return;
    }
    cuda::LinearOptions options;
    options.in = c.in;
    options.out = c.out;
    options.type = device.type;
    options.float_output = c.float_output;
    options.activation = c.activation;
    options.y_stride = c.y_stride;
    options.per_bucket = c.per_bucket;
    options.few_rows = c.per_bucket;
    on_device_ = cuda::Linear::Create(blas_.get(), options, at_w_.data(),
                                      c.bias ? at_b_.data() : nullptr, kBuckets, &why);
    EXPECT_NE(on_device_, nullptr) << why;
    workspace_ = std::make_unique<OpBytes>(device, cuda::Blas::kWorkspaceBytes);
#endif
  }

  bool ok() const { return on_cpu_ != nullptr || on_device_ != nullptr; }
  int64_t stride() const { return case_.y_stride == 0 ? case_.out : case_.y_stride; }

  // Returns y [rows, out]. Checks that nothing was written between the rows or after them.
  std::vector<float> Run(const std::vector<float>& x, int64_t rows) const {
    const OpNumbers y = Place(rows);
    const OpNumbers at_x(device_, x);
    if (!device_.cuda) {
      OpContext context(device_.threads, 1);
      on_cpu_->Run(context, static_cast<const float*>(at_x.data()), rows,
                   static_cast<float*>(y.data()));
    }
#ifdef DRAGOMAN_HAVE_CUDA
    if (device_.cuda) EXPECT_LAUNCHED(RunOn(kTestStream, at_x.data(), rows, y.data()));
#endif
    return Dense(y, rows);
  }

  // Returns memory for y and one more row, filled with 7.
  OpNumbers Place(int64_t rows) const {
    return OpNumbers(y_device_, std::vector<float>((rows + 1) * stride(), 7.0F));
  }

  std::vector<float> Dense(const OpNumbers& y, int64_t rows) const {
    const std::vector<float> all = y.Download();
    std::vector<float> dense;
    for (size_t i = 0; i < all.size(); ++i) {
      const auto row = static_cast<int64_t>(i) / stride();
      if (row < rows && static_cast<int64_t>(i) % stride() < case_.out) {
        dense.push_back(all[i]);
      } else {
        EXPECT_EQ(all[i], 7.0F) << i;
      }
    }
    return dense;
  }

#ifdef DRAGOMAN_HAVE_CUDA
  cuda::Error RunOn(cuda::Stream stream, const void* x, int64_t rows, void* y) const {
    return on_device_->Run(stream, workspace_->data(), x, rows, nullptr, y);
  }
  const cuda::Linear& on_device() const { return *on_device_; }
#endif

  std::vector<double> Expected(const std::vector<float>& x, int64_t rows) const {
    std::vector<double> expected;
    for (int64_t r = 0; r < rows; ++r) {
      for (int c = 0; c < case_.out; ++c) {
        double sum = case_.bias ? b_[c] : 0.0;
        for (int k = 0; k < case_.in; ++k) {
          sum += double(x[r * case_.in + k]) * w_[int64_t{c} * case_.in + k];
        }
        expected.push_back(ActivationReference(case_.activation, sum));
      }
    }
    return expected;
  }

  // Sums are in f32 and rounded once to y's type. A separate activation kernel rounds a second
  // time, and its slope of up to 1.13 enlarges the first error.
  double Tolerance() const {
    const bool twice =
        case_.activation == Activation::kGelu || case_.activation == Activation::kSwish;
    return 5e-6 + y_device_.unit() * (twice ? 2.13 : 1.0);
  }

 private:
  const OpDevice device_;
  const Case case_;
  const OpDevice y_device_;  // of y and bias
  const std::vector<float> w_;
  const std::vector<float> b_;
  const OpNumbers at_w_;
  const OpNumbers at_b_;
  std::unique_ptr<Linear> on_cpu_;
#ifdef DRAGOMAN_HAVE_CUDA
  std::unique_ptr<cuda::Blas> blas_;
  std::unique_ptr<OpBytes> workspace_;
#endif
  std::unique_ptr<cuda::Linear> on_device_;
};

using LinearDeviceTest = OnOpDevice;

TEST_P(LinearDeviceTest, AgreesWithDouble) {
  const OpDevice device = GetParam();
  std::vector<Case> cases = {{.in = 8, .out = 8},      {.in = 64, .out = 24},
                             {.in = 64, .out = 131},   {.in = 1096, .out = 48},
                             {.in = 256, .out = 1024}, {.in = 512, .out = 520, .bias = false}};
  for (const Activation activation : {Activation::kRelu, Activation::kGelu, Activation::kSwish}) {
    for (const bool bias : {false, true}) {
      cases.push_back({.in = 256, .out = 72, .activation = activation, .bias = bias});
    }
  }
  cases.push_back({.in = 512, .out = 999, .float_output = true});
  cases.push_back({.in = 64, .out = 64, .activation = Activation::kSwish, .float_output = true});
  for (const Case& c : cases) {
    const TestLinear linear(device, c);
    ASSERT_TRUE(linear.ok()) << c.out << " x " << c.in;
    for (const int64_t rows : {8, 64}) {
      const auto x = Rounded(RandomFloats(rows * c.in, 3), device.type);
      EXPECT_LT(WorstError(linear.Run(x, rows), linear.Expected(x, rows)), linear.Tolerance())
          << c.out << " x " << c.in << ", activation " << static_cast<int>(c.activation);
    }
  }
}

// A row's bits must be the same in every bucket, at every place and with any neighbours, also for
// numbers and orders that the trial at Create has not seen.
TEST_P(LinearDeviceTest, RowsAreBitEqualInEveryBucketAndOrder) {
  const OpDevice device = GetParam();
  for (const Case& c : {Case{.in = 256, .out = 256, .activation = Activation::kRelu},
                        Case{.in = 1024, .out = 64, .activation = Activation::kGelu},
                        Case{.in = 512, .out = 1000, .float_output = true},
                        Case{.in = 512, .out = 512, .per_bucket = true}}) {
    const TestLinear linear(device, c);
    ASSERT_TRUE(linear.ok());
    const int64_t most = kBuckets.back();
    const auto x = Rounded(RandomFloats(most * c.in, 3), device.type);
    const std::vector<float> expected = linear.Run(x, most);
    for (const int rows : kBuckets) {
      for (const uint32_t seed : {1U, 2U, 3U}) {
        std::vector<int64_t> order(most);
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), std::mt19937(seed));
        std::vector<float> some(size_t(rows) * c.in);
        for (int r = 0; r < rows; ++r) {
          std::copy_n(x.data() + order[r] * c.in, c.in, some.data() + int64_t{r} * c.in);
        }
        const std::vector<float> y = linear.Run(some, rows);
        for (int r = 0; r < rows; ++r) {
          ASSERT_TRUE(
              SameBits(y.data() + int64_t{r} * c.out, expected.data() + order[r] * c.out, c.out))
              << c.out << " x " << c.in << ", row " << r << " of " << rows;
        }
      }
    }
  }
}

TEST_P(LinearDeviceTest, NanStaysInItsRow) {
  const OpDevice device = GetParam();
  for (const Activation activation :
       {Activation::kNone, Activation::kRelu, Activation::kGelu, Activation::kSwish}) {
    const Case c = {.in = 64, .out = 56, .activation = activation};
    const TestLinear linear(device, c);
    ASSERT_TRUE(linear.ok());
    auto x = RandomFloats(size_t{8} * c.in, 3);
    x[3 * 64 + 5] = NAN;
    const std::vector<float> y = linear.Run(x, 8);
    for (int i = 0; i < 8 * c.out; ++i) {
      // The result of cuBLASLt's ReLU for NaN is not specified.
      if (i / c.out == 3 && device.cuda && activation == Activation::kRelu) continue;
      EXPECT_EQ(std::isnan(y[i]), i / c.out == 3) << i;
    }
  }
}

#ifdef DRAGOMAN_HAVE_CUDA
class LinearOnCuda : public OnOpDevice {};

std::vector<OpDevice> RealDevices() {
  std::vector<OpDevice> devices = OpDevices();
  std::erase_if(devices, [](const OpDevice& d) { return !d.cuda; });
  return devices;
}

TEST_P(LinearOnCuda, RowsMayLieApart) {
  const OpDevice device = GetParam();
  const Case c = {.in = 256, .out = 599, .float_output = true, .y_stride = 608};
  const TestLinear linear(device, c);
  ASSERT_TRUE(linear.ok());
  const auto x = Rounded(RandomFloats(size_t{16} * c.in, 3), device.type);
  EXPECT_LT(WorstError(linear.Run(x, 16), linear.Expected(x, 16)), linear.Tolerance());
}

TEST_P(LinearOnCuda, TwoOfOneShapeArePinnedToTheSame) {
  const Case c = {.in = 512, .out = 512};
  const TestLinear one(GetParam(), c);
  const TestLinear other(GetParam(), c);
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_EQ(one.on_device().algorithm(), other.on_device().algorithm());
  EXPECT_FALSE(one.on_device().algorithm().empty());
}

TEST_P(LinearOnCuda, OtherRowCountsAreRefused) {
  const OpDevice device = GetParam();
  const TestLinear linear(device, {.in = 64, .out = 64});
  ASSERT_TRUE(linear.ok());
  const OpNumbers x(device, std::vector<float>(size_t{64} * 9, 1.0F));
  EXPECT_EQ(linear.RunOn(kTestStream, x.data(), 9, x.data()),
            static_cast<cuda::Error>(cudaErrorInvalidValue));
  EXPECT_EQ(linear.RunOn(kTestStream, x.data(), 301, x.data()),
            static_cast<cuda::Error>(cudaErrorInvalidValue));
  EXPECT_EQ(linear.RunOn(kTestStream, nullptr, 0, nullptr), cuda::Error::kNone);
}

TEST_P(LinearOnCuda, RefusesWhatDoesNotFit) {
  const OpDevice device = GetParam();
  std::string why;
  const std::unique_ptr<cuda::Blas> blas = cuda::Blas::Create(&why);
  ASSERT_NE(blas, nullptr) << why;
  const OpNumbers w(device, std::vector<float>(size_t{64} * 64));
  cuda::LinearOptions good;
  good.in = 64;
  good.out = 64;
  good.type = device.type;
  const auto refused = [&](const cuda::LinearOptions& options, const void* weight,
                           const std::vector<int>& buckets) {
    why.clear();
    const auto linear = cuda::Linear::Create(blas.get(), options, weight, nullptr, buckets, &why);
    return linear == nullptr && !why.empty();
  };
  EXPECT_FALSE(refused(good, w.data(), {8}));
  cuda::LinearOptions bad = good;
  bad.in = 63;
  EXPECT_TRUE(refused(bad, w.data(), {8}));
  bad = good;
  bad.y_stride = 63;
  EXPECT_TRUE(refused(bad, w.data(), {8}));
  bad = good;
  bad.activation = Activation::kGelu;
  bad.y_stride = 72;
  EXPECT_TRUE(refused(bad, w.data(), {8}));
  EXPECT_TRUE(refused(good, static_cast<const uint8_t*>(w.data()) + 4, {8}));
  EXPECT_TRUE(refused(good, w.data(), {}));
  EXPECT_TRUE(refused(good, w.data(), {0, 8}));
  EXPECT_TRUE(refused(good, w.data(), {16, 8}));
  EXPECT_TRUE(refused(good, w.data(), {8, 8}));
}

// Run must not allocate or create descriptors, because the capture would fail.
TEST_P(LinearOnCuda, IsCapturedIntoAGraph) {
  const OpDevice device = GetParam();
  const Case c = {.in = 128, .out = 256, .activation = Activation::kSwish};
  const TestLinear linear(device, c);
  ASSERT_TRUE(linear.ok());
  const auto x = Rounded(RandomFloats(size_t{64} * c.in, 3), device.type);
  const std::vector<float> expected = linear.Run(x, 64);
  const OpNumbers at_x(device, x);
  const OpNumbers y = linear.Place(64);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_LAUNCHED(linear.RunOn(stream, at_x.data(), 64, y.data()));
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
  EXPECT_EQ(linear.Dense(y, 64), expected);
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

DRAGOMAN_FOR_LAUNCH_DEVICES(LinearOnCuda, RealDevices());
#endif

DRAGOMAN_FOR_EVERY_DEVICE(LinearDeviceTest);

}  // namespace
}  // namespace dragoman::kernels
