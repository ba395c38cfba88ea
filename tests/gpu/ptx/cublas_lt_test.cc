// Tests the fake of cuBLASLt: its results equal sums computed here, and it refuses what it does not
// model.
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <vector>

#include "kernels/cuda/lt_product.h"
#include "tests/gpu/ptx/cublas_lt.h"
#include "tests/gpu/ptx/device.h"

namespace dragoman::ptx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kIn = 32;
constexpr int kOut = 8;
constexpr int kRows = 64;

// Returns the text of the findings so far. These findings no longer fail the test.
std::string Found() {
  Device& device = Device::Get();
  const std::lock_guard lock(device.mutex());
  std::string text;
  for (const Finding& finding : device.TakeFindings()) text += finding.Text() + "\n";
  return text;
}

template <class T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& values) : OnDevice(values.size()) {
    EXPECT_EQ(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice),
              cudaSuccess);
  }
  explicit OnDevice(size_t size) : size_(size) {
    EXPECT_EQ(cudaMalloc(&data_, size * sizeof(T)), cudaSuccess);
  }
  ~OnDevice() { EXPECT_EQ(cudaFree(data_), cudaSuccess); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  T* data() const { return static_cast<T*>(data_); }
  std::vector<T> Get() const {
    std::vector<T> values(size_);
    EXPECT_EQ(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost),
              cudaSuccess);
    return values;
  }

 private:
  const size_t size_;
  void* data_ = nullptr;
};

class CublasLtFake : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!Device::Get().why_not().empty()) GTEST_SKIP() << Device::Get().why_not();
    ASSERT_EQ(cublasLtCreate(&handle_), CUBLAS_STATUS_SUCCESS);
    lt_ = kernels::cuda::LoadCublasLt(&why_);
  }
  void TearDown() override {
    if (handle_ != nullptr) {
      EXPECT_EQ(cublasLtDestroy(handle_), CUBLAS_STATUS_SUCCESS);
    }
    EXPECT_EQ(LiveLtObjects(), 0);
  }

  std::unique_ptr<kernels::cuda::LtProduct> Product(const kernels::cuda::LtShape& shape) {
    std::string why;
    auto product = kernels::cuda::LtProduct::Create(*lt_, handle_, shape,
                                                    std::vector<int>{8, kRows}, kWorkspace, &why);
    EXPECT_NE(product, nullptr) << why;
    return product;
  }
  static kernels::cuda::LtShape Plain() {
    kernels::cuda::LtShape shape;
    shape.in = kIn;
    shape.out = kOut;
    shape.y_stride = kOut;
    return shape;
  }
  static std::vector<uint64_t> Ids(const std::vector<kernels::cuda::LtAlgorithm>& offers) {
    std::vector<uint64_t> ids;
    for (const kernels::cuda::LtAlgorithm& offer : offers) ids.push_back(offer.data[0]);
    return ids;
  }

  static constexpr int64_t kWorkspace = 1 << 16;
  const char* why_ = nullptr;
  cublasLtHandle_t handle_ = nullptr;
  const kernels::cuda::CublasLt* lt_ = nullptr;
};

// Whole numbers, whose sums are exact in every order.
TEST_F(CublasLtFake, MultipliesAddsTheBiasAndCutsAtZero) {
  std::vector<float> w(size_t{kOut} * kIn);
  std::vector<float> x(size_t{kRows} * kIn);
  std::vector<float> b(kOut);
  for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i % 7) - 3;
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 5) - 2;
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i);
  const OnDevice<float> at_w(w), at_x(x), at_b(b);
  const OnDevice<float> y(size_t{kRows} * kOut);
  const OnDevice<uint8_t> workspace(kWorkspace);
  kernels::cuda::LtShape shape = Plain();
  shape.bias = at_b.data();
  shape.relu = true;
  const auto product = Product(shape);
  const auto offers = product->Offers(1, 8);
  ASSERT_FALSE(offers.empty());
  ASSERT_EQ(
      product->Run(nullptr, workspace.data(), 1, offers[0], at_w.data(), at_x.data(), y.data()),
      kernels::cuda::Error::kNone);
  const std::vector<float> found = y.Get();
  int zeros = 0;
  for (int r = 0; r < kRows; ++r) {
    for (int o = 0; o < kOut; ++o) {
      float sum = b[static_cast<size_t>(o)];
      for (int k = 0; k < kIn; ++k) {
        sum += w[static_cast<size_t>(o * kIn + k)] * x[static_cast<size_t>(r * kIn + k)];
      }
      zeros += sum < 0 ? 1 : 0;
      EXPECT_EQ(found[static_cast<size_t>(r * kOut + o)], sum < 0 ? 0 : sum) << r << ", " << o;
    }
  }
  EXPECT_GT(zeros, 0);
}

// float32 has no sums by sixteen. An algorithm that splits a sum is offered only if the preference
// allows it.
TEST_F(CublasLtFake, OffersWhatThePreferenceAllows) {
  const auto narrow = [] {
    kernels::cuda::LtShape shape = Plain();
    shape.type = kernels::ComputeType::kFloat16;
    shape.y_type = kernels::ComputeType::kFloat16;
    return shape;
  }();
  EXPECT_THAT(Ids(Product(Plain())->Offers(1, 8)), ElementsAre(0));
  EXPECT_THAT(Ids(Product(Plain())->Offers(0, 8)), ElementsAre(2, 0));
  EXPECT_THAT(Ids(Product(narrow)->Offers(0, 8)), ElementsAre(2, 1, 0));
  EXPECT_THAT(Ids(Product(narrow)->Offers(0, 1)), ElementsAre(2));

  cublasLtMatmulPreference_t any = nullptr;
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t a = nullptr;
  cublasLtMatrixLayout_t d = nullptr;
  ASSERT_EQ(cublasLtMatmulPreferenceCreate(&any), CUBLAS_STATUS_SUCCESS);
  const uint64_t most = kWorkspace;
  ASSERT_EQ(cublasLtMatmulPreferenceSetAttribute(any, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                 &most, sizeof(most)),
            CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F),
            CUBLAS_STATUS_SUCCESS);
  const int32_t transposed = CUBLAS_OP_T;
  ASSERT_EQ(cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                                           sizeof(transposed)),
            CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasLtMatrixLayoutCreate(&a, CUDA_R_32F, kIn, kIn, kIn), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasLtMatrixLayoutCreate(&d, CUDA_R_32F, kIn, kIn, kIn), CUBLAS_STATUS_SUCCESS);
  cublasLtMatmulHeuristicResult_t results[8];
  int count = 0;
  ASSERT_EQ(cublasLtMatmulAlgoGetHeuristic(handle_, product, a, a, d, d, any, 8, results, &count),
            CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(count, 2);
  int32_t split = 0;
  size_t written = 0;
  EXPECT_EQ(cublasLtMatmulAlgoConfigGetAttribute(&results[1].algo, CUBLASLT_ALGO_CONFIG_SPLITK_NUM,
                                                 &split, sizeof(split), &written),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(split, 2);
  EXPECT_EQ(Found(), "");
  for (const auto layout : {a, d})
    EXPECT_EQ(cublasLtMatrixLayoutDestroy(layout), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasLtMatmulDescDestroy(product), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasLtMatmulPreferenceDestroy(any), CUBLAS_STATUS_SUCCESS);
}

TEST_F(CublasLtFake, WhatItDoesNotModelIsRefusedByName) {
  cublasLtMatmulDesc_t product = nullptr;
  EXPECT_EQ(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F),
            CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_THAT(Found(), HasSubstr("sums of type"));
  ASSERT_EQ(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F),
            CUBLAS_STATUS_SUCCESS);
  const auto set = [&](cublasLtMatmulDescAttributes_t attribute, auto value) {
    return cublasLtMatmulDescSetAttribute(product, attribute, &value, sizeof(value));
  };
  EXPECT_EQ(set(CUBLASLT_MATMUL_DESC_EPILOGUE, uint32_t{CUBLASLT_EPILOGUE_GELU}),
            CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_THAT(Found(), HasSubstr("epilogue 32"));
  EXPECT_EQ(set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, int8_t{1}), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_THAT(Found(), HasSubstr("attribute 25 of a product"));
  // A wrong size is a mistake of the caller, not a finding.
  EXPECT_EQ(set(CUBLASLT_MATMUL_DESC_TRANSA, int64_t{CUBLAS_OP_T}), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(Found(), "");
  // Untransposed A is not supported.
  cublasLtMatrixLayout_t square = nullptr;
  ASSERT_EQ(cublasLtMatrixLayoutCreate(&square, CUDA_R_32F, kIn, kIn, kIn), CUBLAS_STATUS_SUCCESS);
  cublasLtMatmulHeuristicResult_t result;
  const cublasLtMatmulAlgo_t plain{};
  EXPECT_EQ(
      cublasLtMatmulAlgoCheck(handle_, product, square, square, square, square, &plain, &result),
      CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_THAT(Found(), HasSubstr("expected A^T B"));
  EXPECT_EQ(set(CUBLASLT_MATMUL_DESC_TRANSA, int32_t{CUBLAS_OP_T}), CUBLAS_STATUS_SUCCESS);
  const float two = 2;
  const float zero = 0;
  EXPECT_EQ(cublasLtMatmul(handle_, product, &two, nullptr, square, nullptr, square, &zero, nullptr,
                           square, nullptr, square, &plain, nullptr, 0, nullptr),
            CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_THAT(Found(), HasSubstr("alpha 2"));
  const float one = 1;
  EXPECT_EQ(cublasLtMatmul(handle_, product, &one, nullptr, square, nullptr, square, &zero, nullptr,
                           square, nullptr, square, nullptr, nullptr, 0, nullptr),
            CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_THAT(Found(), HasSubstr("a product without an algorithm"));
  EXPECT_EQ(cublasLtMatrixLayoutDestroy(square), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasLtMatmulDescDestroy(product), CUBLAS_STATUS_SUCCESS);
}

TEST_F(CublasLtFake, OperandsAreHeldToTheRulesOfAKernel) {
  const auto product = Product(Plain());
  const kernels::cuda::LtAlgorithm plain{};
  const OnDevice<float> w(std::vector<float>(size_t{kOut} * kIn, 1.0F));
  const OnDevice<float> x(std::vector<float>(size_t{kRows} * kIn, 1.0F));
  const OnDevice<float> unwritten(size_t{kRows} * kIn);
  const OnDevice<float> y(size_t{kRows} * kOut);
  const OnDevice<uint8_t> workspace(kWorkspace);
  const auto run = [&](const float* from, float* to, void* work) {
    const kernels::cuda::Error error = product->Run(nullptr, work, 1, plain, w.data(), from, to);
    return Found() + (error == kernels::cuda::Error::kNone ? "" : "refused");
  };
  EXPECT_EQ(run(x.data(), y.data(), workspace.data()), "");
  EXPECT_THAT(run(unwritten.data(), y.data(), workspace.data()),
              HasSubstr("uninitialised: read of 8192 bytes of B"));
  EXPECT_THAT(run(x.data() + kIn, y.data(), workspace.data()), HasSubstr("out of bounds: read"));
  EXPECT_THAT(run(x.data(), y.data() + kOut, workspace.data()), HasSubstr("out of bounds: write"));
  EXPECT_THAT(run(x.data() + 1, y.data(), workspace.data()), HasSubstr("misaligned: B"));
  EXPECT_EQ(run(x.data(), y.data(), nullptr), "refused");
}

}  // namespace
}  // namespace dragoman::ptx
