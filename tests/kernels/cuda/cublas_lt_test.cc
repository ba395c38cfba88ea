// Tests what cuBLASLt can do without a GPU. The library is found and loaded at run time, explains
// why it cannot start, and accepts every attribute that describes a product.
#include "kernels/cuda/cublas_lt.h"

#include <vector>

#include "kernels/cuda/lt_product.h"
#include "kernels/ops/linear_cuda.h"
#include "tests/kernels/ops/op_device.h"

namespace dragoman::kernels::cuda {
namespace {

class CublasLtTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* why = nullptr;
    lt_ = LoadCublasLt(&why);
    ASSERT_NE(why, nullptr);
    if (lt_ == nullptr) {
      EXPECT_STRNE(why, "");
      GTEST_SKIP() << "no cuBLASLt: " << why;
    }
    EXPECT_STREQ(why, "");
  }

  const CublasLt* lt_ = nullptr;
};

TEST_F(CublasLtTest, IsOfTheVersionOfItsHeaders) {
  EXPECT_EQ(lt_->get_version() / 10000, size_t{CUBLAS_VER_MAJOR});
  const char* why = nullptr;
  EXPECT_EQ(LoadCublasLt(&why), lt_);
}

TEST_F(CublasLtTest, WithoutADriverItRefuses) {
  if (WhyNoCuda().empty()) GTEST_SKIP() << "there is a GPU";
  cublasLtHandle_t handle = nullptr;
  const cublasStatus_t status = lt_->create(&handle);
  EXPECT_NE(status, CUBLAS_STATUS_SUCCESS);
  EXPECT_STRNE(lt_->get_status_name(status), "");
}

// Does not use CublasLtTest, because it must also pass where the library is missing.
TEST(BlasTest, StartsOrSaysWhyNot) {
  std::string why;
  const std::unique_ptr<Blas> blas = Blas::Create(&why);
  if (WhyNoCuda().empty()) {
    EXPECT_NE(blas, nullptr) << why;
  } else {
    EXPECT_EQ(blas, nullptr);
    EXPECT_FALSE(why.empty());
  }
}

// Needs no device, because the library itself checks the sizes, types and ranges of all attributes.
TEST_F(CublasLtTest, TakesEveryProduct) {
  alignas(16) static const float bias[8] = {};
  const std::vector<int> rows = {1, 8, 4096};
  for (const ComputeType type :
       {ComputeType::kFloat32, ComputeType::kFloat16, ComputeType::kBFloat16}) {
    for (const bool float_output : {false, true}) {
      for (const bool with_bias : {false, true}) {
        for (const bool relu : {false, true}) {
          LtShape shape;
          shape.in = 512;
          shape.out = 5999;
          shape.y_stride = 6000;
          shape.type = type;
          shape.y_type = float_output ? ComputeType::kFloat32 : type;
          shape.bias = with_bias ? bias : nullptr;
          shape.relu = relu;
          std::string why;
          EXPECT_NE(LtProduct::Create(*lt_, nullptr, shape, rows, Blas::kWorkspaceBytes, &why),
                    nullptr)
              << why;
        }
      }
    }
  }
}

// The real library with a scripted list of algorithms. The first word of an algorithm is its split
// of K.
class OfferTest : public CublasLtTest {
 protected:
  static cublasStatus_t Heuristic(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                                  cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                  cublasLtMatrixLayout_t, cublasLtMatmulPreference_t, int most,
                                  cublasLtMatmulHeuristicResult_t results[], int* count) {
    const uint64_t splits[] = {4, 1, 1, 1};
    const cublasStatus_t states[] = {CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_SUCCESS,
                                     CUBLAS_STATUS_NOT_SUPPORTED, CUBLAS_STATUS_SUCCESS};
    *count = most < 4 ? most : 4;
    for (int i = 0; i < *count; ++i) {
      results[i] = {};
      results[i].algo.data[0] = splits[i];
      results[i].algo.data[1] = static_cast<uint64_t>(i);
      results[i].state = states[i];
    }
    return CUBLAS_STATUS_SUCCESS;
  }

  static cublasStatus_t Config(const cublasLtMatmulAlgo_t* algorithm,
                               cublasLtMatmulAlgoConfigAttributes_t attribute, void* value,
                               size_t bytes, size_t* written) {
    if (attribute != CUBLASLT_ALGO_CONFIG_SPLITK_NUM) return CUBLAS_STATUS_INVALID_VALUE;
    const auto split = static_cast<int32_t>(algorithm->data[0]);
    if (bytes != sizeof(split)) return CUBLAS_STATUS_INVALID_VALUE;
    *static_cast<int32_t*>(value) = split;
    *written = bytes;
    return CUBLAS_STATUS_SUCCESS;
  }
};

TEST_F(OfferTest, SplitSumsAndFailedOffersAreLeftOut) {
  CublasLt lt = *lt_;
  lt.algo_get_heuristic = Heuristic;
  lt.algo_config_get_attribute = Config;
  LtShape shape;
  shape.in = 64;
  shape.out = 64;
  shape.y_stride = 64;
  const std::vector<int> rows = {8};
  std::string why;
  const auto product = LtProduct::Create(lt, nullptr, shape, rows, Blas::kWorkspaceBytes, &why);
  ASSERT_NE(product, nullptr) << why;
  const std::vector<LtAlgorithm> offers = product->Offers(0, 8);
  ASSERT_EQ(offers.size(), 2U);
  EXPECT_EQ(offers[0].data[1], 1U);
  EXPECT_EQ(offers[1].data[1], 3U);
  EXPECT_EQ(product->Offers(0, 2).size(), 1U);
}

}  // namespace
}  // namespace dragoman::kernels::cuda
