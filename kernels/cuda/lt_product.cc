#include "kernels/cuda/lt_product.h"

#include <cuda_runtime_api.h>

namespace dragoman::kernels::cuda {
namespace {

cudaDataType_t DataType(ComputeType type) {
  switch (type) {
    case ComputeType::kFloat16:
      return CUDA_R_16F;
    case ComputeType::kBFloat16:
      return CUDA_R_16BF;
    case ComputeType::kFloat32:
    case ComputeType::kInt8:  // only on the CPU
      break;
  }
  return CUDA_R_32F;
}

// Converts cuBLASLt's codes to the nearest codes of the runtime, which are the only codes that
// Error has.
Error FromStatus(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return Error::kNone;
    case CUBLAS_STATUS_INVALID_VALUE:
      return static_cast<Error>(cudaErrorInvalidValue);
    case CUBLAS_STATUS_NOT_SUPPORTED:
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return static_cast<Error>(cudaErrorNotSupported);
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return static_cast<Error>(cudaErrorLaunchFailure);
    default:
      return static_cast<Error>(cudaErrorUnknown);
  }
}

template <class Value>
Value Config(const CublasLt& lt, const LtAlgorithm& algorithm,
             cublasLtMatmulAlgoConfigAttributes_t attribute, Value otherwise) {
  Value value{};
  size_t written = 0;
  const cublasStatus_t status =
      lt.algo_config_get_attribute(&algorithm, attribute, &value, sizeof(value), &written);
  return status == CUBLAS_STATUS_SUCCESS ? value : otherwise;
}

// Reports whether the algorithm has no split-K. preference_ already excludes split-K; this is a
// check.
bool SumsInOnePiece(const CublasLt& lt, const LtAlgorithm& algorithm) {
  return Config<int32_t>(lt, algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, 1) <= 1 &&
         Config<uint32_t>(lt, algorithm, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, 0) ==
             CUBLASLT_REDUCTION_SCHEME_NONE;
}

}  // namespace

std::string AlgorithmText(const CublasLt& lt, const LtAlgorithm& algorithm) {
  std::string text;
  const auto add = [&](const char* name, cublasLtMatmulAlgoConfigAttributes_t attribute,
                       auto zero) {
    if (!text.empty()) text += ' ';
    text += name;
    text += ' ';
    text += std::to_string(Config(lt, algorithm, attribute, zero));
  };
  add("algorithm", CUBLASLT_ALGO_CONFIG_ID, int32_t{-1});
  add("tile", CUBLASLT_ALGO_CONFIG_TILE_ID, uint32_t{0});
  add("stages", CUBLASLT_ALGO_CONFIG_STAGES_ID, uint32_t{0});
  add("cluster", CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, uint16_t{0});
  add("swizzle", CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, uint32_t{0});
  add("custom", CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, uint32_t{0});
  return text;
}

std::unique_ptr<LtProduct> LtProduct::Create(const CublasLt& lt, cublasLtHandle_t handle,
                                             const LtShape& shape, std::span<const int> rows,
                                             int64_t workspace_bytes, std::string* why) {
  std::unique_ptr<LtProduct> product(new LtProduct(lt, handle, workspace_bytes));
  const cublasStatus_t status = product->Describe(shape, rows);
  if (status == CUBLAS_STATUS_SUCCESS) return product;
  *why = std::string("cuBLASLt refuses the product: ") + lt.get_status_name(status);
  return nullptr;
}

LtProduct::~LtProduct() {
  for (const Bucket& bucket : buckets_) {
    if (bucket.x != nullptr) lt_.matrix_layout_destroy(bucket.x);
    if (bucket.y != nullptr) lt_.matrix_layout_destroy(bucket.y);
  }
  if (preference_ != nullptr) lt_.preference_destroy(preference_);
  if (weight_ != nullptr) lt_.matrix_layout_destroy(weight_);
  if (product_ != nullptr) lt_.matmul_desc_destroy(product_);
}

cublasStatus_t LtProduct::Describe(const LtShape& shape, std::span<const int> rows) {
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  const auto also = [&](auto call) {
    if (status == CUBLAS_STATUS_SUCCESS) status = call();
  };
  const auto set = [&](cublasLtMatmulDescAttributes_t attribute, auto value) {
    also([&] { return lt_.matmul_desc_set_attribute(product_, attribute, &value, sizeof(value)); });
  };
  const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
    also([&] {
      return lt_.preference_set_attribute(preference_, attribute, &value, sizeof(value));
    });
  };

  // CUBLAS_COMPUTE_32F: f32 sums, and f32 products of f32 operands (TF32 would be
  // CUBLAS_COMPUTE_32F_FAST_TF32).
  also([&] { return lt_.matmul_desc_create(&product_, CUBLAS_COMPUTE_32F, CUDA_R_32F); });
  set(CUBLASLT_MATMUL_DESC_TRANSA, int32_t{CUBLAS_OP_T});
  set(CUBLASLT_MATMUL_DESC_TRANSB, int32_t{CUBLAS_OP_N});
  uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  if (shape.bias != nullptr) {
    epilogue = shape.relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS;
  } else if (shape.relu) {
    epilogue = CUBLASLT_EPILOGUE_RELU;
  }
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
  if (shape.bias != nullptr) {
    // The heuristics read the bias's alignment from its address.
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, shape.bias);
  }

  const auto in = static_cast<uint64_t>(shape.in);
  const auto out = static_cast<uint64_t>(shape.out);
  const auto layout = [&](cublasLtMatrixLayout_t* made, ComputeType type, uint64_t height,
                          uint64_t width, int64_t stride) {
    also([&] { return lt_.matrix_layout_create(made, DataType(type), height, width, stride); });
  };
  layout(&weight_, shape.type, in, out, shape.in);
  buckets_.resize(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto count = static_cast<uint64_t>(rows[i]);
    layout(&buckets_[i].x, shape.type, in, count, shape.in);
    layout(&buckets_[i].y, shape.y_type, out, count, shape.y_stride);
  }

  also([&] { return lt_.preference_create(&preference_); });
  prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, static_cast<uint64_t>(workspace_bytes_));
  prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, uint32_t{CUBLASLT_REDUCTION_SCHEME_NONE});
  for (const auto operand :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
    prefer(operand, uint32_t{kAlignment});
  }
  return status;
}

std::vector<LtAlgorithm> LtProduct::Offers(size_t bucket, int most) const {
  const Bucket& b = buckets_[bucket];
  std::vector<cublasLtMatmulHeuristicResult_t> results(static_cast<size_t>(most));
  int count = 0;
  const cublasStatus_t status = lt_.algo_get_heuristic(handle_, product_, weight_, b.x, b.y, b.y,
                                                       preference_, most, results.data(), &count);
  if (status != CUBLAS_STATUS_SUCCESS) return {};
  results.resize(static_cast<size_t>(count));
  std::vector<LtAlgorithm> algorithms;
  for (const cublasLtMatmulHeuristicResult_t& result : results) {
    if (result.state == CUBLAS_STATUS_SUCCESS && SumsInOnePiece(lt_, result.algo)) {
      algorithms.push_back(result.algo);
    }
  }
  return algorithms;
}

bool LtProduct::Fits(size_t bucket, const LtAlgorithm& algorithm) const {
  const Bucket& b = buckets_[bucket];
  cublasLtMatmulHeuristicResult_t result{};
  const cublasStatus_t status =
      lt_.algo_check(handle_, product_, weight_, b.x, b.y, b.y, &algorithm, &result);
  return status == CUBLAS_STATUS_SUCCESS && result.state == CUBLAS_STATUS_SUCCESS &&
         result.workspaceSize <= static_cast<size_t>(workspace_bytes_);
}

Error LtProduct::Run(Stream stream, void* workspace, size_t bucket, const LtAlgorithm& algorithm,
                     const void* weight, const void* x, void* y) const {
  const Bucket& b = buckets_[bucket];
  const float one = 1.0F;
  const float zero = 0.0F;  // the factor of C; so C, for which y is passed, is not read
  return FromStatus(lt_.matmul(handle_, product_, &one, weight, weight_, x, b.x, &zero, y, b.y, y,
                               b.y, &algorithm, workspace, static_cast<size_t>(workspace_bytes_),
                               stream));
}

}  // namespace dragoman::kernels::cuda
