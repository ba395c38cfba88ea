// AVX2 with full 8-bit weights in int8 (quantized_avx2_long.cc), for UseEntryForTest. Gives the
// integer sums, and so the bits, of AVX2 with VNNI on machines without VNNI. REQUIRES: the machine
// has AVX2.
#pragma once

#include "kernels/cpu/isa.h"

namespace dragoman::kernels::cpu {

extern const IsaEntry kAvx2Long;

}  // namespace dragoman::kernels::cpu
