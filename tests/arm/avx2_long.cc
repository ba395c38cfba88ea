// If this file is linked with the daemon's main, the daemon computes int8 products as AVX2 with VNNI
// does, even on a machine without VNNI (../kernels/ops/quantized_avx2_long.h). A daemon on 64-bit
// ARM must give the same results.
#include <cstdlib>
#include <iostream>

#include "kernels/cpu/isa.h"
#include "tests/kernels/ops/quantized_avx2_long.h"

namespace dragoman::kernels::cpu {
namespace {

// Before main, and so before anything asks for kernels.
[[maybe_unused]] const bool kUsed = [] {
  for (const Isa isa : SupportedIsas()) {
    if (isa != Isa::kAvx2) continue;
    UseEntryForTest(&kAvx2Long);
    return true;
  }
  std::cerr << "this machine has no AVX2\n";
  std::_Exit(EXIT_FAILURE);
}();

}  // namespace
}  // namespace dragoman::kernels::cpu
