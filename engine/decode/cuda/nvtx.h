// Named ranges that profilers show. They do nothing if CUDA's toolkit has no NVTX.
#pragma once

#if defined(DRAGOMAN_HAVE_CUDA) && __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define DRAGOMAN_HAVE_NVTX
#endif

namespace dragoman::engine {

// A range from the object's construction to its destruction, on the calling thread. Borrows `name`.
class NvtxRange {
 public:
#ifdef DRAGOMAN_HAVE_NVTX
  explicit NvtxRange(const char* name) { nvtxRangePushA(name); }
  ~NvtxRange() { nvtxRangePop(); }
#else
  explicit NvtxRange(const char*) {}
#endif
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
};

}  // namespace dragoman::engine
