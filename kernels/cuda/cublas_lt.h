// cuBLASLt, opened at run time. So a binary with CUDA support also starts without the library (half
// a gigabyte) and serves on the CPU.
//
// Thread-safe. Loaded at the first use, never unloaded.
#pragma once

#include <cublasLt.h>

namespace dragoman::kernels::cuda {

// The cuBLASLt functions in use, by their own names.
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

// Returns nullptr if the library cannot be opened or has another major version than this build's
// headers, with the reason in `why` (not null; the text lives as long as the process).
const CublasLt* LoadCublasLt(const char** why);

}  // namespace dragoman::kernels::cuda
