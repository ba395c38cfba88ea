#include "tests/gpu/ptx/cublas_lt.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda/cublas_lt.h"
#include "tests/gpu/ptx/calls.h"
#include "tests/gpu/ptx/capture.h"
#include "tests/gpu/ptx/host_operation.h"

namespace dragoman::ptx {
namespace {

constexpr char kName[] = "cuBLASLt's product";
// The largest row count (a number of columns to cuBLASLt) of the algorithm whose bits depend on it.
constexpr uint64_t kFewColumns = 16;
// From this many columns on, a product writes to its workspace.
constexpr uint64_t kColumnsWithWorkspace = 64;
constexpr size_t kWorkspaceBytes = 4096;
constexpr size_t kElementAlignment = 16;

std::atomic<int64_t> live = 0;

// Indices of the words in cuBLASLt's opaque structs.
enum LayoutWord { kType, kRows, kColumns, kStride };
enum PreferenceWord { kMostWorkspace, kReductions };

// Adds a finding and returns CUBLAS_STATUS_NOT_SUPPORTED. REQUIRES: the caller does not hold the
// mutex.
cublasStatus_t Refuse(const std::string& what) {
  Device& device = Device::Get();
  const std::lock_guard lock(device.mutex());
  Finding finding;
  finding.kind = FindingKind::kUnknownProgram;
  finding.kernel = kName;
  finding.what = what;
  device.report().Add(finding);
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

std::optional<Element> ElementOf(uint64_t type) {
  switch (static_cast<cudaDataType>(type)) {
    case CUDA_R_32F:
      return Element::kFloat32;
    case CUDA_R_16F:
      return Element::kFloat16;
    case CUDA_R_16BF:
      return Element::kBFloat16;
    default:
      return std::nullopt;
  }
}

bool OneByOneFirst() {
  static const bool one_by_one = [] {
    const char* const setting = std::getenv("DRAGOMAN_PTX_PRODUCTS");
    const std::string value = setting == nullptr ? "" : setting;
    if (!value.empty() && value != "one-by-one" && value != "by-sixteen") {
      throw std::runtime_error("DRAGOMAN_PTX_PRODUCTS is '" + value +
                               "', expected by-sixteen or one-by-one");
    }
    return value == "one-by-one";
  }();
  return one_by_one;
}

// A product as described by its descriptors.
struct Shape {
  uint64_t k = 0;  // columns of x and of W
  uint64_t m = 0;  // rows of W
  uint64_t n = 0;  // rows of x
  uint64_t a_stride = 0;
  uint64_t b_stride = 0;
  uint64_t d_stride = 0;
  Element operands = Element::kFloat32;
  Element result = Element::kFloat32;
  bool relu = false;
  const void* bias = nullptr;
};

// Returns CUBLAS_STATUS_SUCCESS, or the status for what is wrong with the descriptors.
cublasStatus_t Read(cublasLtMatmulDesc_t product, cublasLtMatrixLayout_t a,
                    cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                    Shape* shape) {
  if (product == nullptr || a == nullptr || b == nullptr || c == nullptr || d == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (product->data[CUBLASLT_MATMUL_DESC_TRANSA] != CUBLAS_OP_T ||
      product->data[CUBLASLT_MATMUL_DESC_TRANSB] != CUBLAS_OP_N) {
    return Refuse("a product whose A is not transposed or whose B is, expected A^T B");
  }
  const std::optional<Element> operands = ElementOf(a->data[kType]);
  const std::optional<Element> result = ElementOf(d->data[kType]);
  if (!operands || !result || b->data[kType] != a->data[kType] ||
      (*result != *operands && *result != Element::kFloat32)) {
    return Refuse("types " + std::to_string(a->data[kType]) + ", " +
                  std::to_string(b->data[kType]) + " and " + std::to_string(d->data[kType]) +
                  " (cudaDataType) of A, B and D, expected float32, float16 or bfloat16, and D of "
                  "the same or float32");
  }
  if (std::memcmp(c->data, d->data, sizeof(c->data)) != 0) {
    return Refuse("a C of another layout than D's");
  }
  shape->k = a->data[kRows];
  shape->m = a->data[kColumns];
  shape->n = b->data[kColumns];
  shape->a_stride = a->data[kStride];
  shape->b_stride = b->data[kStride];
  shape->d_stride = d->data[kStride];
  shape->operands = *operands;
  shape->result = *result;
  const bool fits = shape->k > 0 && shape->m > 0 && shape->n > 0 && b->data[kRows] == shape->k &&
                    d->data[kRows] == shape->m && d->data[kColumns] == shape->n &&
                    shape->a_stride >= shape->k && shape->b_stride >= shape->k &&
                    shape->d_stride >= shape->m;
  if (!fits) return CUBLAS_STATUS_INVALID_VALUE;
  const uint64_t epilogue = product->data[CUBLASLT_MATMUL_DESC_EPILOGUE];
  shape->relu = epilogue == CUBLASLT_EPILOGUE_RELU || epilogue == CUBLASLT_EPILOGUE_RELU_BIAS;
  if (epilogue == CUBLASLT_EPILOGUE_BIAS || epilogue == CUBLASLT_EPILOGUE_RELU_BIAS) {
    std::memcpy(&shape->bias, &product->data[CUBLASLT_MATMUL_DESC_BIAS_POINTER],
                sizeof(shape->bias));
    if (shape->bias == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  }
  return CUBLAS_STATUS_SUCCESS;
}

// Whether the algorithm can compute the shape.
bool Takes(const Shape& shape, const cublasLtMatmulAlgo_t& algorithm) {
  switch (static_cast<LtAlgorithmId>(algorithm.data[0])) {
    case LtAlgorithmId::kOneByOne:
    case LtAlgorithmId::kByCount:
    case LtAlgorithmId::kInHalves:
      return true;
    case LtAlgorithmId::kBySixteen:
      return shape.operands != Element::kFloat32;
  }
  return false;
}

size_t WorkspaceOf(const Shape& shape, const cublasLtMatmulAlgo_t& algorithm) {
  if (static_cast<LtAlgorithmId>(algorithm.data[0]) == LtAlgorithmId::kInHalves) {
    return 2 * shape.m * shape.n * sizeof(float);
  }
  return shape.n >= kColumnsWithWorkspace ? kWorkspaceBytes : 0;
}

SumOrder OrderOf(const Shape& shape, const cublasLtMatmulAlgo_t& algorithm) {
  switch (static_cast<LtAlgorithmId>(algorithm.data[0])) {
    case LtAlgorithmId::kBySixteen:
      return SumOrder::kBySixteen;
    case LtAlgorithmId::kByCount:
      return shape.n <= kFewColumns ? SumOrder::kBackwards : SumOrder::kOneByOne;
    case LtAlgorithmId::kInHalves:
      return SumOrder::kInHalves;
    case LtAlgorithmId::kOneByOne:
      break;
  }
  return SumOrder::kOneByOne;
}

struct Operands {
  const void* a = nullptr;
  const void* b = nullptr;
  void* d = nullptr;
  void* workspace = nullptr;
};

// Checks a matrix whose columns are `stride` apart. Returns the first column, or nullptr. Each
// column must be within an allocation, and columns must ascend, so that all of them are in the same
// one.
const uint8_t* ReadColumns(HostOperation& operation, const void* at, uint64_t height,
                           uint64_t width, uint64_t stride, size_t element, const char* what) {
  if (reinterpret_cast<uintptr_t>(at) % kElementAlignment != 0) {
    operation.Fail(FindingKind::kMisaligned,
                   std::string(what) + " is not aligned to the 16 bytes that were promised");
    return nullptr;
  }
  if (stride == height) return operation.Read(at, height * width * element, what);
  const uint8_t* first = nullptr;
  for (uint64_t column = 0; column < width; ++column) {
    const uint8_t* const found = operation.Read(
        static_cast<const uint8_t*>(at) + column * stride * element, height * element, what);
    if (found == nullptr) return nullptr;
    if (column == 0) first = found;
  }
  return first;
}

// REQUIRES: the caller holds the device's mutex.
void Multiply(const Shape& shape, const cublasLtMatmulAlgo_t& algorithm, const Operands& operands) {
  Device& device = Device::Get();
  HostOperation operation(device, kName);
  const size_t element = BytesOf(shape.operands);
  const size_t result = BytesOf(shape.result);
  const uint8_t* const w =
      ReadColumns(operation, operands.a, shape.k, shape.m, shape.a_stride, element, "A");
  const uint8_t* const x =
      ReadColumns(operation, operands.b, shape.k, shape.n, shape.b_stride, element, "B");
  std::vector<float> bias(shape.m, 0.0F);
  if (shape.bias != nullptr) {
    const uint8_t* const from = operation.Read(shape.bias, shape.m * result, "the bias");
    if (from != nullptr) LoadFloats(from, shape.result, shape.m, bias.data());
  }
  const size_t workspace = WorkspaceOf(shape, algorithm);
  if (workspace != 0) {
    uint8_t* const taken = operation.Write(operands.workspace, workspace, "workspace");
    constexpr int kPattern = 0xff;
    if (taken != nullptr) std::memset(taken, kPattern, workspace);
  }
  if (!operation.ok()) {
    device.Fail(cudaErrorIllegalAddress);
    return;
  }
  const std::vector<float> columns = Columns(w, shape.operands, shape.k, shape.m, shape.a_stride);
  const SumOrder order = OrderOf(shape, algorithm);
  std::vector<float> y(shape.m);
  for (uint64_t row = 0; row < shape.n; ++row) {
    MultiplyRow(order, columns.data(), x + row * shape.b_stride * element, shape.operands, shape.k,
                shape.m, y.data());
    for (uint64_t o = 0; o < shape.m; ++o) {
      if (shape.bias != nullptr) y[o] += bias[o];
      if (shape.relu && y[o] < 0.0F) y[o] = 0.0F;
    }
    uint8_t* const to = operation.Write(
        static_cast<uint8_t*>(operands.d) + row * shape.d_stride * result, shape.m * result, "D");
    if (to == nullptr) {
      device.Fail(cudaErrorIllegalAddress);
      return;
    }
    Store(y.data(), shape.result, shape.m, to);
  }
}

template <class Opaque>
Opaque* Made() {
  ++live;
  return new Opaque{};
}
template <class Opaque>
cublasStatus_t Drop(const Opaque* object) {
  if (object == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  --live;
  delete object;
  return CUBLAS_STATUS_SUCCESS;
}

template <class Value>
cublasStatus_t Take(const void* from, size_t bytes, uint64_t* word) {
  if (from == nullptr || bytes != sizeof(Value)) return CUBLAS_STATUS_INVALID_VALUE;
  *word = 0;
  std::memcpy(word, from, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

int64_t LiveLtObjects() { return live; }

}  // namespace dragoman::ptx

using dragoman::ptx::Call;
using dragoman::ptx::CalledLt;
using dragoman::ptx::CallKind;
using dragoman::ptx::Device;
using dragoman::ptx::Drop;
using dragoman::ptx::kColumns;
using dragoman::ptx::kMostWorkspace;
using dragoman::ptx::kReductions;
using dragoman::ptx::kRows;
using dragoman::ptx::kStride;
using dragoman::ptx::kType;
using dragoman::ptx::LtAlgorithmId;
using dragoman::ptx::Made;
using dragoman::ptx::Refuse;
using dragoman::ptx::Shape;
using dragoman::ptx::Take;

// A handle belongs to the device that was current when it was made.
struct cublasLtContext {
  int device = 0;
};

namespace {

// Describes a call that concerns only host memory and works even after a lasting error.
Call OfHost(const char* function) { return {.function = function, .needs_device = false}; }

}  // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  return dragoman::ptx::CalledLt({.function = "cublasLtCreate", .kind = CallKind::kMake}, [&] {
    if (!Device::Get().why_not().empty()) return CUBLAS_STATUS_NOT_INITIALIZED;
    auto* const made = Made<cublasLtContext>();
    made->device = Device::Current();
    *handle = made;
    return CUBLAS_STATUS_SUCCESS;
  });
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  return dragoman::ptx::CalledLt({.function = "cublasLtDestroy", .kind = CallKind::kDestroy},
                                 [&] { return Drop(handle); });
}

const char* cublasLtGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    default:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
  }
}
size_t cublasLtGetVersion() { return CUBLAS_VERSION; }

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  return dragoman::ptx::CalledLt(OfHost("cublasLtMatmulDescCreate"), [&] {
    if (compute != CUBLAS_COMPUTE_32F || scale != CUDA_R_32F) {
      return Refuse("sums of type " + std::to_string(compute) + " scaled by type " +
                    std::to_string(scale) + ", expected CUBLAS_COMPUTE_32F and CUDA_R_32F");
    }
    *made = Made<cublasLtMatmulDescOpaque_t>();
    (*made)->data[CUBLASLT_MATMUL_DESC_EPILOGUE] = CUBLASLT_EPILOGUE_DEFAULT;
    return CUBLAS_STATUS_SUCCESS;
  });
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t product) {
  return dragoman::ptx::CalledLt(
      {.function = "cublasLtMatmulDescDestroy", .kind = CallKind::kDestroy, .needs_device = false},
      [&] { return Drop(product); });
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t product,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, size_t bytes) {
  return dragoman::ptx::CalledLt(OfHost("cublasLtMatmulDescSetAttribute"), [&] {
    if (product == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    uint64_t* const word = &product->data[attribute];
    switch (attribute) {
      case CUBLASLT_MATMUL_DESC_TRANSA:
      case CUBLASLT_MATMUL_DESC_TRANSB:
        return Take<int32_t>(value, bytes, word);
      case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
        return Take<const void*>(value, bytes, word);
      case CUBLASLT_MATMUL_DESC_EPILOGUE: {
        uint64_t epilogue = 0;
        const cublasStatus_t status = Take<uint32_t>(value, bytes, &epilogue);
        if (status != CUBLAS_STATUS_SUCCESS) return status;
        if (epilogue != CUBLASLT_EPILOGUE_DEFAULT && epilogue != CUBLASLT_EPILOGUE_RELU &&
            epilogue != CUBLASLT_EPILOGUE_BIAS && epilogue != CUBLASLT_EPILOGUE_RELU_BIAS) {
          return Refuse("epilogue " + std::to_string(epilogue) + ", expected none, bias or ReLU");
        }
        *word = epilogue;
        return status;
      }
      default:
        return Refuse("attribute " + std::to_string(attribute) + " of a product");
    }
  });
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType type,
                                          uint64_t rows, uint64_t columns, int64_t stride) {
  return dragoman::ptx::CalledLt(OfHost("cublasLtMatrixLayoutCreate"), [&] {
    if (stride <= 0) return CUBLAS_STATUS_INVALID_VALUE;
    *made = Made<cublasLtMatrixLayoutOpaque_t>();
    (*made)->data[kType] = type;
    (*made)->data[kRows] = rows;
    (*made)->data[kColumns] = columns;
    (*made)->data[kStride] = static_cast<uint64_t>(stride);
    return CUBLAS_STATUS_SUCCESS;
  });
}
cublasStatus_t cublasLtMatrixLayoutDestroy(const cublasLtMatrixLayout_t layout) {
  return dragoman::ptx::CalledLt({.function = "cublasLtMatrixLayoutDestroy",
                                  .kind = CallKind::kDestroy,
                                  .needs_device = false},
                                 [&] { return Drop(layout); });
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* made) {
  return dragoman::ptx::CalledLt(OfHost("cublasLtMatmulPreferenceCreate"), [&] {
    *made = Made<cublasLtMatmulPreferenceOpaque_t>();
    (*made)->data[kReductions] = CUBLASLT_REDUCTION_SCHEME_MASK;
    return CUBLAS_STATUS_SUCCESS;
  });
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return dragoman::ptx::CalledLt({.function = "cublasLtMatmulPreferenceDestroy",
                                  .kind = CallKind::kDestroy,
                                  .needs_device = false},
                                 [&] { return Drop(preference); });
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, size_t bytes) {
  return dragoman::ptx::CalledLt(OfHost("cublasLtMatmulPreferenceSetAttribute"), [&] {
    if (preference == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    switch (attribute) {
      case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
        return Take<uint64_t>(value, bytes, &preference->data[kMostWorkspace]);
      case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
        return Take<uint32_t>(value, bytes, &preference->data[kReductions]);
      case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
      case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
      case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
      case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES: {
        uint64_t alignment = 0;
        const cublasStatus_t status = Take<uint32_t>(value, bytes, &alignment);
        if (status != CUBLAS_STATUS_SUCCESS) return status;
        if (alignment != dragoman::ptx::kElementAlignment) {
          return Refuse("operands aligned to " + std::to_string(alignment) + " bytes, expected 16");
        }
        return status;
      }
      default:
        return Refuse("attribute " + std::to_string(attribute) + " of a preference");
    }
  });
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int most,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* count) {
  return dragoman::ptx::CalledLt(OfHost("cublasLtMatmulAlgoGetHeuristic"), [&] {
    *count = 0;
    if (handle == nullptr || preference == nullptr || most < 1) return CUBLAS_STATUS_INVALID_VALUE;
    Shape shape;
    const cublasStatus_t status = dragoman::ptx::Read(product, a, b, c, d, &shape);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    std::vector<LtAlgorithmId> offers;
    if (shape.n <= dragoman::ptx::kFewColumns) offers.push_back(LtAlgorithmId::kByCount);
    if (!dragoman::ptx::OneByOneFirst()) offers.push_back(LtAlgorithmId::kBySixteen);
    offers.push_back(LtAlgorithmId::kOneByOne);
    if (preference->data[kReductions] != CUBLASLT_REDUCTION_SCHEME_NONE) {
      offers.push_back(LtAlgorithmId::kInHalves);
    }
    for (const LtAlgorithmId offer : offers) {
      cublasLtMatmulHeuristicResult_t result{};
      result.algo.data[0] = static_cast<uint64_t>(offer);
      result.workspaceSize = dragoman::ptx::WorkspaceOf(shape, result.algo);
      if (*count == most || !dragoman::ptx::Takes(shape, result.algo) ||
          result.workspaceSize > preference->data[kMostWorkspace]) {
        continue;
      }
      results[(*count)++] = result;
    }
    return *count > 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
  });
}

cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                                       cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                       cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                       const cublasLtMatmulAlgo_t* algorithm,
                                       cublasLtMatmulHeuristicResult_t* result) {
  return dragoman::ptx::CalledLt(OfHost("cublasLtMatmulAlgoCheck"), [&] {
    if (handle == nullptr || algorithm == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    Shape shape;
    const cublasStatus_t status = dragoman::ptx::Read(product, a, b, c, d, &shape);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    if (!dragoman::ptx::Takes(shape, *algorithm)) return CUBLAS_STATUS_NOT_SUPPORTED;
    *result = {};
    result->algo = *algorithm;
    result->workspaceSize = dragoman::ptx::WorkspaceOf(shape, *algorithm);
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t* algorithm,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute,
                                                    void* value, size_t bytes, size_t* written) {
  return dragoman::ptx::CalledLt(OfHost("cublasLtMatmulAlgoConfigGetAttribute"), [&] {
    const bool halves = algorithm->data[0] == static_cast<uint64_t>(LtAlgorithmId::kInHalves);
    uint64_t word = 0;
    size_t expected = sizeof(uint32_t);
    switch (attribute) {
      case CUBLASLT_ALGO_CONFIG_ID:
        word = algorithm->data[0];
        break;
      case CUBLASLT_ALGO_CONFIG_SPLITK_NUM:
        word = halves ? 2 : 1;
        break;
      case CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME:
        word = halves ? CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE : CUBLASLT_REDUCTION_SCHEME_NONE;
        break;
      case CUBLASLT_ALGO_CONFIG_TILE_ID:
      case CUBLASLT_ALGO_CONFIG_STAGES_ID:
      case CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING:
      case CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION:
        break;
      case CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID:
        expected = sizeof(uint16_t);
        break;
      default:
        return Refuse("attribute " + std::to_string(attribute) + " of an algorithm");
    }
    if (bytes != expected) return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(value, &word, bytes);
    *written = bytes;
    return CUBLAS_STATUS_SUCCESS;
  });
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                              const void* alpha, const void* a, cublasLtMatrixLayout_t a_layout,
                              const void* b, cublasLtMatrixLayout_t b_layout, const void* beta,
                              const void* /*c*/, cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              size_t workspace_bytes, cudaStream_t stream) {
  return dragoman::ptx::CalledLt(
      {.function = "cublasLtMatmul",
       .kind = CallKind::kWork,
       .stream = stream,
       .memory = d,
       .device = handle == nullptr ? -1 : handle->device},
      [&] {
        if (handle == nullptr || alpha == nullptr || beta == nullptr)
          return CUBLAS_STATUS_INVALID_VALUE;
        Shape shape;
        const cublasStatus_t status =
            dragoman::ptx::Read(product, a_layout, b_layout, c_layout, d_layout, &shape);
        if (status != CUBLAS_STATUS_SUCCESS) return status;
        if (*static_cast<const float*>(alpha) != 1.0F || *static_cast<const float*>(beta) != 0.0F) {
          return Refuse("alpha " + std::to_string(*static_cast<const float*>(alpha)) +
                        " and beta " + std::to_string(*static_cast<const float*>(beta)) +
                        ", expected 1 and 0");
        }
        if (algorithm == nullptr) return Refuse("a product without an algorithm");
        if (!dragoman::ptx::Takes(shape, *algorithm)) return CUBLAS_STATUS_NOT_SUPPORTED;
        const size_t needed = dragoman::ptx::WorkspaceOf(shape, *algorithm);
        if (needed > workspace_bytes || (needed > 0 && workspace == nullptr)) {
          return CUBLAS_STATUS_INVALID_VALUE;
        }
        const dragoman::ptx::Operands operands{a, b, d, workspace};
        dragoman::ptx::Work work;
        work.name = dragoman::ptx::kName;
        work.act = [shape, operands, algorithm = *algorithm] {
          dragoman::ptx::Multiply(shape, algorithm, operands);
        };
        const cudaError_t error = dragoman::ptx::Put(stream, std::move(work));
        return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
      });
}

}  // extern "C"

namespace dragoman::kernels::cuda {

const CublasLt* LoadCublasLt(const char** why) {
  static const CublasLt functions = {
      .create = &cublasLtCreate,
      .destroy = &cublasLtDestroy,
      .matmul = &cublasLtMatmul,
      .matmul_desc_create = &cublasLtMatmulDescCreate,
      .matmul_desc_destroy = &cublasLtMatmulDescDestroy,
      .matmul_desc_set_attribute = &cublasLtMatmulDescSetAttribute,
      .matrix_layout_create = &cublasLtMatrixLayoutCreate,
      .matrix_layout_destroy = &cublasLtMatrixLayoutDestroy,
      .preference_create = &cublasLtMatmulPreferenceCreate,
      .preference_destroy = &cublasLtMatmulPreferenceDestroy,
      .preference_set_attribute = &cublasLtMatmulPreferenceSetAttribute,
      .algo_get_heuristic = &cublasLtMatmulAlgoGetHeuristic,
      .algo_check = &cublasLtMatmulAlgoCheck,
      .algo_config_get_attribute = &cublasLtMatmulAlgoConfigGetAttribute,
      .get_status_name = &cublasLtGetStatusName,
      .get_version = &cublasLtGetVersion,
  };
  *why = "";
  return &functions;
}

}  // namespace dragoman::kernels::cuda
