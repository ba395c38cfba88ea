// Which instruction set the CPU operations use: the best one that this machine has, chosen once.
//
// DRAGOMAN_CPU_ISA=baseline|avx2|avx512 in the environment asks for a lower one (a higher one than
// the machine has is not used). Results are bit-equal between runs only on one instruction set.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/cpu/kernel_table.h"

namespace dragoman::cpu {

// Each one includes those before it.
enum class Isa { kBaseline, kAvx2, kAvx512 };

// Those that this machine runs, the lowest first.
std::vector<Isa> SupportedIsas();

std::string_view IsaName(Isa isa);

// The table in use. Thread-safe.
const KernelTable& Kernels();

// For tests: from now on use this one. REQUIRES: supported; no operation is running.
void UseIsaForTest(Isa isa);

}  // namespace dragoman::cpu
