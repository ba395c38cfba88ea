// Opens cuBLASLt at run time. So a binary with CUDA support also starts on a machine without this
// library of half a gigabyte. It then translates on the CPU.
//
// Thread-safe. Loaded at the first use, never unloaded.
#pragma once

#include <cublasLt.h>

namespace dragoman::kernels::cuda {

// The cuBLASLt functions that are used, under cuBLASLt's names without the prefix.
struct CublasLt {
  decltype(&cublasLtCreate) create = nullptr;
  decltype(&cublasLtDestroy) destroy = nullptr;
  decltype(&cublasLtMatmul) matmul = nullptr;
  decltype(&cublasLtMatmulDescCreate) matmul_desc_create = nullptr;
  decltype(&cublasLtMatmulDescDestroy) matmul_desc_destroy = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) matmul_desc_set_attribute = nullptr;
  decltype(&cublasLtMatrixLayoutCreate) matrix_layout_create = nullptr;
  decltype(&cublasLtMatrixLayoutDestroy) matrix_layout_destroy = nullptr;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create = nullptr;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set_attribute = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) algo_get_heuristic = nullptr;
  decltype(&cublasLtMatmulAlgoCheck) algo_check = nullptr;
  decltype(&cublasLtMatmulAlgoConfigGetAttribute) algo_config_get_attribute = nullptr;
  decltype(&cublasLtGetStatusName) get_status_name = nullptr;
  decltype(&cublasLtGetVersion) get_version = nullptr;
};

// Returns the functions. If the library cannot be opened, or its major version is not that of this
// build's headers, returns nullptr and sets *why to the reason, a text that lives as long as the
// process. REQUIRES: `why` is not null.
const CublasLt* LoadCublasLt(const char** why);

}  // namespace dragoman::kernels::cuda
