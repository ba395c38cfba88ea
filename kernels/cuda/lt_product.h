// One product of cuBLASLt, y = x W^T (+ bias, ReLU), with everything that describes it made once
// for each number of rows it is asked for: running it makes and allocates nothing.
//
// cuBLASLt is column-major, where our row-major x [rows, in] is x^T [in, rows], and so on. What it
// computes is y^T [out, rows] = W x^T: its A is W [out, in], which it sees as [in, out] and has to
// transpose, its B is x, its "m" is out, its "n" is rows, and the bias goes along m as it wants it.
//
// Immutable after Create; any number of threads may Run.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/base/compute_type.h"
#include "kernels/cuda/cublas_lt.h"
#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

using LtAlgorithm = cublasLtMatmulAlgo_t;

// The words of cuBLASLt's own configuration, for the log.
std::string AlgorithmText(const CublasLt& lt, const LtAlgorithm& algorithm);

struct LtShape {
  int in = 0;
  int out = 0;
  int64_t y_stride = 0;                        // elements from a row of y to the next
  ComputeType type = ComputeType::kFloat32;    // of x and W
  ComputeType y_type = ComputeType::kFloat32;  // f32 or `type`
  const void* bias = nullptr;                  // [out] of y_type on the device; nullptr: none
  bool relu = false;
};

class LtProduct {
 public:
  // `lt` and `handle` are borrowed. No algorithm is used that needs more workspace. REQUIRES: x, W,
  // y and bias are aligned to kAlignment, wherever they will be. nullptr, and why.
  static std::unique_ptr<LtProduct> Create(const CublasLt& lt, cublasLtHandle_t handle,
                                           const LtShape& shape, std::span<const int> rows,
                                           int64_t workspace_bytes, std::string* why);
  ~LtProduct();
  LtProduct(const LtProduct&) = delete;
  LtProduct& operator=(const LtProduct&) = delete;

  static constexpr int kAlignment = 16;

  // Below, `bucket` is an index of the rows given to Create.

  // The algorithms that cuBLASLt offers for this number of rows, best first by its own estimate, at
  // most `most`. None of them splits the sum of an element among blocks.
  std::vector<LtAlgorithm> Offers(size_t bucket, int most) const;

  // Whether the algorithm can compute this number of rows.
  bool Fits(size_t bucket, const LtAlgorithm& algorithm) const;

  Error Run(Stream stream, void* workspace, size_t bucket, const LtAlgorithm& algorithm,
            const void* weight, const void* x, void* y) const;

 private:
  LtProduct(const CublasLt& lt, cublasLtHandle_t handle, int64_t workspace_bytes)
      : lt_(lt), handle_(handle), workspace_bytes_(workspace_bytes) {}

  cublasStatus_t Describe(const LtShape& shape, std::span<const int> rows);

  struct Bucket {
    cublasLtMatrixLayout_t x = nullptr;
    cublasLtMatrixLayout_t y = nullptr;
  };

  const CublasLt& lt_;
  const cublasLtHandle_t handle_;
  const int64_t workspace_bytes_;
  cublasLtMatmulDesc_t product_ = nullptr;
  cublasLtMatrixLayout_t weight_ = nullptr;
  cublasLtMatmulPreference_t preference_ = nullptr;
  std::vector<Bucket> buckets_;
};

}  // namespace dragoman::kernels::cuda
