// Marks ranges of time with names, which profilers show (NVTX). Does nothing if the CUDA toolkit of
// the build has no NVTX.
#pragma once

#if defined(DRAGOMAN_HAVE_CUDA) && __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define DRAGOMAN_HAVE_NVTX
#endif

namespace dragoman::engine {

// The range lasts from the object's construction to its destruction, on the calling thread. `name`
// is borrowed as long as the object exists.
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
