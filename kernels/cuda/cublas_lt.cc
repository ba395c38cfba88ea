#include "kernels/cuda/cublas_lt.h"

#include <dlfcn.h>

#include <string>

namespace dragoman::kernels::cuda {
namespace {

// In these versions of cuBLASLt the struct of an algorithm may be compared byte by byte, as Same in
// linear_cuda.cc does.
static_assert(CUBLAS_VER_MAJOR == 12 || CUBLAS_VER_MAJOR == 13);

struct Loaded {
  CublasLt functions;
  std::string why;  // "": no error
};

template <class Function>
bool Find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

Loaded Load() {
  Loaded loaded;
  void* library = nullptr;
  // First the library with the major version of this build's headers, then any other.
  const std::string names[] = {"libcublasLt.so." + std::to_string(CUBLAS_VER_MAJOR),
                               "libcublasLt.so"};
  for (const std::string& name : names) {
    library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
    // Keeps the error about the first name, which helps more than the second one.
    const char* words = dlerror();
    if (loaded.why.empty()) loaded.why = words == nullptr ? name : words;
  }
  if (library == nullptr) return loaded;
  loaded.why.clear();
  CublasLt& f = loaded.functions;
  const bool whole =
      Find(library, "cublasLtCreate", &f.create) && Find(library, "cublasLtDestroy", &f.destroy) &&
      Find(library, "cublasLtMatmul", &f.matmul) &&
      Find(library, "cublasLtMatmulDescCreate", &f.matmul_desc_create) &&
      Find(library, "cublasLtMatmulDescDestroy", &f.matmul_desc_destroy) &&
      Find(library, "cublasLtMatmulDescSetAttribute", &f.matmul_desc_set_attribute) &&
      Find(library, "cublasLtMatrixLayoutCreate", &f.matrix_layout_create) &&
      Find(library, "cublasLtMatrixLayoutDestroy", &f.matrix_layout_destroy) &&
      Find(library, "cublasLtMatmulPreferenceCreate", &f.preference_create) &&
      Find(library, "cublasLtMatmulPreferenceDestroy", &f.preference_destroy) &&
      Find(library, "cublasLtMatmulPreferenceSetAttribute", &f.preference_set_attribute) &&
      Find(library, "cublasLtMatmulAlgoGetHeuristic", &f.algo_get_heuristic) &&
      Find(library, "cublasLtMatmulAlgoCheck", &f.algo_check) &&
      Find(library, "cublasLtMatmulAlgoConfigGetAttribute", &f.algo_config_get_attribute) &&
      Find(library, "cublasLtGetStatusName", &f.get_status_name) &&
      Find(library, "cublasLtGetVersion", &f.get_version);
  if (!whole) {
    const char* words = dlerror();
    loaded.why = words == nullptr ? "a function of cuBLASLt is missing" : words;
    return loaded;
  }
  const size_t version = f.get_version();
  if (version / 10000 != CUBLAS_VER_MAJOR) {
    loaded.why = "cuBLASLt " + std::to_string(version / 10000) + " found, " +
                 std::to_string(CUBLAS_VER_MAJOR) + " wanted";
  }
  return loaded;
}

}  // namespace

const CublasLt* LoadCublasLt(const char** why) {
  // The object is never destroyed, because threads may still use it at exit.
  static const Loaded& loaded = *new Loaded(Load());
  *why = loaded.why.c_str();
  return loaded.why.empty() ? &loaded.functions : nullptr;
}

}  // namespace dragoman::kernels::cuda
