// AVX2 with weights of 8 bits in int8 (quantized_avx2_long.cc), for UseEntryForTest: the integer sums
// of AVX2 with VNNI, and so its bits, on machines that lack VNNI. REQUIRES of its user: the machine
// has AVX2.
#pragma once

#include "kernels/cpu/isa_entries.h"

namespace dragoman::kernels::cpu {

extern const IsaEntry kAvx2Long;

}  // namespace dragoman::kernels::cpu
