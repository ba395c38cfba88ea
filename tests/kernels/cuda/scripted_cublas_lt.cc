#include "tests/kernels/cuda/scripted_cublas_lt.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/cuda/cublas_lt.h"
#include "kernels/ops/activation_cuda.h"
#include "kernels/ops/few_rows.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr uint64_t kFewRows = 16;

std::function<std::vector<LtFault>(int)> offered;
int live = 0;
LtFault few_rows = kUnfit;
int few_rows_calls = 0;

// The words of the opaque structs: a layout holds (type, rows, columns, stride), a product each
// attribute at the attribute's number, a preference the mask of reductions, an algorithm its
// LtFault.
uint64_t Word(const void* value, size_t bytes) {
  uint64_t word = 0;
  std::memcpy(&word, value, bytes);
  return word;
}

cublasStatus_t Create(cublasLtHandle_t* handle) {
  ++live;
  *handle = reinterpret_cast<cublasLtHandle_t>(&live);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t Destroy(cublasLtHandle_t) {
  --live;
  return CUBLAS_STATUS_SUCCESS;
}

template <class Opaque>
cublasStatus_t Make(Opaque** made) {
  ++live;
  *made = new Opaque{};
  return CUBLAS_STATUS_SUCCESS;
}
template <class Opaque>
cublasStatus_t Drop(Opaque* dropped) {
  --live;
  delete dropped;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t MakeProduct(cublasLtMatmulDesc_t* made, cublasComputeType_t compute,
                           cudaDataType_t scale) {
  if (compute != CUBLAS_COMPUTE_32F || scale != CUDA_R_32F) return CUBLAS_STATUS_INVALID_VALUE;
  return Make(made);
}

cublasStatus_t SetOfProduct(cublasLtMatmulDesc_t product, cublasLtMatmulDescAttributes_t attribute,
                            const void* value, size_t bytes) {
  product->data[attribute] = Word(value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t Prefer(cublasLtMatmulPreference_t preference,
                      cublasLtMatmulPreferenceAttributes_t attribute, const void* value,
                      size_t bytes) {
  if (attribute == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK) {
    preference->data[0] = Word(value, bytes);
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t MakePreference(cublasLtMatmulPreference_t* made) {
  Make(made);
  (*made)->data[0] = CUBLASLT_REDUCTION_SCHEME_MASK;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t MakeLayout(cublasLtMatrixLayout_t* made, cudaDataType type, uint64_t rows,
                          uint64_t columns, int64_t stride) {
  Make(made);
  (*made)->data[0] = type;
  (*made)->data[1] = rows;
  (*made)->data[2] = columns;
  (*made)->data[3] = static_cast<uint64_t>(stride);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t Heuristic(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                         cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                         cublasLtMatmulPreference_t preference, int most,
                         cublasLtMatmulHeuristicResult_t results[], int* count) {
  if (preference->data[0] != CUBLASLT_REDUCTION_SCHEME_NONE) return CUBLAS_STATUS_INVALID_VALUE;
  const std::vector<LtFault> all = offered(static_cast<int>(b->data[2]));
  *count = std::min(most, static_cast<int>(all.size()));
  for (int i = 0; i < *count; ++i) {
    results[i] = {};
    results[i].algo.data[0] = static_cast<uint64_t>(all[static_cast<size_t>(i)]);
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CheckAlgorithm(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                              cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t,
                              cublasLtMatrixLayout_t, const cublasLtMatmulAlgo_t* algorithm,
                              cublasLtMatmulHeuristicResult_t* result) {
  if (algorithm->data[0] == kUnfit && b->data[2] <= kFewRows) return CUBLAS_STATUS_NOT_SUPPORTED;
  result->workspaceSize = algorithm->data[0] == kBigWorkspace ? size_t{1} << 30 : 0;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t Config(const cublasLtMatmulAlgo_t* algorithm,
                      cublasLtMatmulAlgoConfigAttributes_t attribute, void* value, size_t bytes,
                      size_t* written) {
  uint64_t word = 0;
  if (attribute == CUBLASLT_ALGO_CONFIG_ID) word = algorithm->data[0];
  if (attribute == CUBLASLT_ALGO_CONFIG_SPLITK_NUM) word = algorithm->data[0] == kSplit ? 4 : 1;
  std::memcpy(value, &word, bytes);
  *written = bytes;
  return CUBLAS_STATUS_SUCCESS;
}

// Computes D = A^T B with a bias along D's rows, all column-major, as cuBLASLt's reference defines
// it.
cublasStatus_t Matmul(cublasLtHandle_t, cublasLtMatmulDesc_t product, const void* alpha,
                      const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                      cublasLtMatrixLayout_t b_layout, const void* beta, const void*,
                      cublasLtMatrixLayout_t, void* d, cublasLtMatrixLayout_t d_layout,
                      const cublasLtMatmulAlgo_t* algorithm, void* workspace, size_t,
                      cudaStream_t) {
  const uint64_t fault = algorithm->data[0];
  if (fault == kFailsToRun) return CUBLAS_STATUS_NOT_SUPPORTED;
  const uint64_t k = a_layout->data[1];
  const uint64_t m = a_layout->data[2];
  const uint64_t n = b_layout->data[2];
  const bool sane = product->data[CUBLASLT_MATMUL_DESC_TRANSA] == CUBLAS_OP_T &&
                    product->data[CUBLASLT_MATMUL_DESC_TRANSB] == CUBLAS_OP_N &&
                    *static_cast<const float*>(alpha) == 1.0F &&
                    *static_cast<const float*>(beta) == 0.0F && workspace != nullptr &&
                    a_layout->data[0] == CUDA_R_32F && b_layout->data[1] == k &&
                    d_layout->data[1] == m && d_layout->data[2] == n && d_layout->data[3] >= m;
  if (!sane) return CUBLAS_STATUS_INVALID_VALUE;
  const uint64_t epilogue = product->data[CUBLASLT_MATMUL_DESC_EPILOGUE];
  const float* bias = nullptr;
  if ((epilogue & CUBLASLT_EPILOGUE_BIAS) != 0) {
    std::memcpy(&bias, &product->data[CUBLASLT_MATMUL_DESC_BIAS_POINTER], sizeof(bias));
  }
  for (uint64_t j = 0; j < n; ++j) {
    if (fault == kLeavesOut && j == n - 1) break;
    const bool backwards = fault == kOtherOrder || (fault == kByCount && n <= kFewRows) ||
                           (fault == kByPlace && j >= n / 2);
    for (uint64_t i = 0; i < m; ++i) {
      const float* a_column = static_cast<const float*>(a) + i * a_layout->data[3];
      const float* b_column = static_cast<const float*>(b) + j * b_layout->data[3];
      float sum = 0.0F;
      for (uint64_t step = 0; step < k; ++step) {
        const uint64_t at = backwards ? k - 1 - step : step;
        sum += a_column[at] * b_column[at];
      }
      if (bias != nullptr) sum += bias[i];
      if ((epilogue & CUBLASLT_EPILOGUE_RELU) != 0) sum = std::max(sum, 0.0F);
      static_cast<float*>(d)[j * d_layout->data[3] + i] = sum;
    }
  }
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

void SetOffers(std::function<std::vector<LtFault>(int rows)> offers) {
  offered = std::move(offers);
}

void SetFewRows(LtFault fault) { few_rows = fault; }

int FewRowsCalls() { return few_rows_calls; }

bool TakesFewRows(const FewRows&) { return few_rows != kUnfit; }

Error MultiplyFewRows(Stream, const FewRows& p, const void* x, int64_t rows, void* y) {
  ++few_rows_calls;
  if (few_rows == kFailsToRun) return Error{1};
  for (int64_t r = 0; r < rows; ++r) {
    const float* const x_row = static_cast<const float*>(x) + r * p.in;
    for (int64_t c = 0; c < p.out; ++c) {
      const float* const w_row = static_cast<const float*>(p.weight) + c * p.in;
      float sum = 0.0F;
      for (int k = 0; k < p.in; ++k) {
        const int at = few_rows == kOtherOrder ? p.in - 1 - k : k;
        sum += w_row[at] * x_row[at];
      }
      if (p.bias != nullptr) sum += static_cast<const float*>(p.bias)[c];
      if (p.activation == Activation::kRelu) sum = std::max(sum, 0.0F);
      static_cast<float*>(y)[r * p.y_stride + c] = sum;
    }
  }
  if (IsOfProduct(p.activation)) return Error::kNone;
  const Activation activation = few_rows == kOtherActivation ? Activation::kTanh : p.activation;
  return Activate(nullptr, ComputeType::kFloat32, activation, rows, nullptr, p.out, y);
}

int LiveDescriptors() { return live; }

const CublasLt* LoadCublasLt(const char** why) {
  static const CublasLt functions = [] {
    CublasLt f;
    f.create = Create;
    f.destroy = Destroy;
    f.matmul = Matmul;
    f.matmul_desc_create = MakeProduct;
    f.matmul_desc_destroy = Drop<cublasLtMatmulDescOpaque_t>;
    f.matmul_desc_set_attribute = SetOfProduct;
    f.matrix_layout_create = MakeLayout;
    f.matrix_layout_destroy = [](cublasLtMatrixLayout_t layout) {
      return Drop(const_cast<cublasLtMatrixLayoutOpaque_t*>(layout));
    };
    f.preference_create = MakePreference;
    f.preference_destroy = Drop<cublasLtMatmulPreferenceOpaque_t>;
    f.preference_set_attribute = Prefer;
    f.algo_get_heuristic = Heuristic;
    f.algo_check = CheckAlgorithm;
    f.algo_config_get_attribute = Config;
    f.get_status_name = [](cublasStatus_t) { return "a status"; };
    f.get_version = [] { return size_t{CUBLAS_VERSION}; };
    return f;
  }();
  *why = "";
  return &functions;
}

}  // namespace dragoman::kernels::cuda
