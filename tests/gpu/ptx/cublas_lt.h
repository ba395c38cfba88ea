// A fake of cuBLASLt for the PTX device. The functions that the product calls
// (kernels/cuda/cublas_lt.h) run on the host over the device's memory. In a program that links
// cublas_lt.cc, LoadCublasLt returns these functions, and no library is opened.
//
// Supported products: D = A^T B, column-major, one matrix each. A and B have one type (float32,
// float16 or bfloat16); D has that type or float32. alpha is 1 and beta is 0, both on the host. The
// epilogue is none, bias (of D's type), ReLU or both. For everything else the call returns
// CUBLAS_STATUS_NOT_SUPPORTED and adds a finding ("unknown program"), so that the test case or the
// daemon fails. No call returns success without having done its work.
//
// A product is put on its stream like a kernel, and can be captured into graphs. It must obey the
// rules for kernels: its operands are within their allocations, written, and aligned as the
// preference promised. An algorithm that needs workspace overwrites the workspace.
//
// The heuristics offer these algorithms, best first:
//
//   id  order of the sum (product.h)  offered
//   2   backwards, up to 16 columns   first, up to 16 columns: its bits depend on the row count
//   1   sixteen at a time             16-bit types; not with DRAGOMAN_PTX_PRODUCTS=one-by-one
//   0   one by one                    always
//   3   in halves                     if the preference's mask allows a reduction
//
// Id, tile, split-K and reduction can be read back from an algorithm. Algorithm 1 gives the bits of
// the product of a few rows (kernels/ops/few_rows.h), and algorithm 0 those of the emulated engine
// (tests/engine/decode/cuda/emulated_cuda.h).
//
// DRAGOMAN_PTX_PRODUCTS is "by-sixteen" (the default) or "one-by-one".
#pragma once

#include <cublasLt.h>

#include <cstdint>

#include "tests/gpu/ptx/product.h"

namespace dragoman::ptx {

// The number in the first word of an algorithm.
enum class LtAlgorithmId : uint64_t { kOneByOne = 0, kBySixteen = 1, kByCount = 2, kInHalves = 3 };

// Returns the number of handles and descriptors that were made and not destroyed.
int64_t LiveLtObjects();

}  // namespace dragoman::ptx
