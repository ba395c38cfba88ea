// cuBLASLt on the PTX device: the functions that the product calls (kernels/cuda/cublas_lt.h), on the host, over
// the device's memory. In a program that links cublas_lt.cc LoadCublasLt gives these, and no library is opened.
//
// What a product may be: D = A^T B, column-major, one matrix each; A and B of one type, float32, float16 or
// bfloat16, D of it or float32; alpha 1, beta 0, on the host; no epilogue, or bias (of D's type), ReLU or both.
// Whatever else is asked for is refused: the call returns CUBLAS_STATUS_NOT_SUPPORTED, and a finding ("unknown
// program") names it, so that the case or the daemon fails. No call returns success without having done its work.
//
// A product is put on its stream as a kernel is, and captured into graphs. It is held to a kernel's rules: operands
// within their allocations, written, and aligned as the preference promised; an algorithm that needs workspace
// writes over it.
//
// The heuristics offer, best first:
//
//   id  order of the sum (product.h)  offered
//   2   backwards, up to 16 columns   first, up to 16 columns: its bits depend on the row count
//   1   sixteen at a time             16-bit types; not with DRAGOMAN_PTX_PRODUCTS=one-by-one
//   0   one by one                    always
//   3   in halves                     where the preference's mask allows a reduction
//
// Split-K and reduction can be read back from an algorithm, as can id and tile. 1 gives the bits of the product of a
// few rows (kernels/ops/few_rows.h), 0 those of the emulated engine (tests/engine/decode/cuda/emulated_cuda.h).
//
// DRAGOMAN_PTX_PRODUCTS: "by-sixteen" (without it) or "one-by-one".
#pragma once

#include <cublasLt.h>

#include <cstdint>

#include "tests/gpu/ptx/product.h"

namespace dragoman::ptx {

// The number in an algorithm's first word.
enum class LtAlgorithmId : uint64_t { kOneByOne = 0, kBySixteen = 1, kByCount = 2, kInHalves = 3 };

// Handles and descriptors that were made and not destroyed.
int64_t LiveLtObjects();

}  // namespace dragoman::ptx
