// The name of the instruction set that the CPU operations use, for logs and measurements: one of
// those of kernels/cpu/isa.h, such as "avx2" or "amx".
#pragma once

#include <string_view>

namespace dragoman {

// Thread-safe. The result lives as long as the process.
std::string_view CpuInstructionSet();

}  // namespace dragoman
