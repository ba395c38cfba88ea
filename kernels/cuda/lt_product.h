// Computes a matrix product with cuBLASLt: y = x W^T, with an optional bias and ReLU. Create makes
// cuBLASLt's descriptors for every number of rows, so Run creates and allocates nothing.
//
// cuBLASLt is column-major, so it takes our row-major x [rows, in] for the column-major x^T [in,
// rows]. It computes y^T [out, rows] = W x^T. Its operand A is W [out, in], which it reads as [in,
// out] and must transpose. Its operand B is x, its "m" is out, its "n" is rows. The bias has one
// number for each index of m, as cuBLASLt requires.
//
// Immutable after Create. Any number of threads may call Run.
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

// Returns the algorithm's configuration as text for the log.
std::string AlgorithmText(const CublasLt& lt, const LtAlgorithm& algorithm);

struct LtShape {
  int in = 0;
  int out = 0;
  int64_t y_stride = 0;                        // elements from one row of y to the next
  ComputeType type = ComputeType::kFloat32;    // type of x and W
  ComputeType y_type = ComputeType::kFloat32;  // f32 or `type`
  const void* bias = nullptr;  // `out` numbers of y_type on the device; nullptr: none
  bool relu = false;
};

class LtProduct {
 public:
  // Creates the product for the numbers of rows in `rows`. `lt` and `handle` are borrowed. The
  // method Offers returns no algorithm that needs more than workspace_bytes. Returns nullptr and
  // sets `why` on failure.
  static std::unique_ptr<LtProduct> Create(const CublasLt& lt, cublasLtHandle_t handle,
                                           const LtShape& shape, std::span<const int> rows,
                                           int64_t workspace_bytes, std::string* why);
  ~LtProduct();
  LtProduct(const LtProduct&) = delete;
  LtProduct& operator=(const LtProduct&) = delete;

  static constexpr int kAlignment = 16;

  // In the following, `bucket` is an index into the `rows` of Create.

  // Returns at most `most` algorithms that cuBLASLt offers for this number of rows, the best by its
  // own estimate first. None of them splits the sum of an element among blocks.
  std::vector<LtAlgorithm> Offers(size_t bucket, int most) const;

  // Reports whether the algorithm can compute this number of rows.
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
