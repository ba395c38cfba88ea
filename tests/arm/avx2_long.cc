// Linked to the daemon's main, makes it compute in int8 as AVX2 with VNNI does, on a machine that
// may lack VNNI (../kernels/ops/quantized_avx2_long.h): what a daemon on 64-bit ARM is held to.
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
