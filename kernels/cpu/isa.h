// Which instruction set the CPU operations use: the best one that this machine has, chosen once.
//
// DRAGOMAN_CPU_ISA=<name> in the environment asks for a lower one (one that the machine does not
// have is not used). Results are bit-equal between runs only on one instruction set. Products in
// int8 are bit-equal on all of them but kBaseline, which has no fused multiply-add to scale them
// with, and kAvx2, whose weights are shorter. Those of ARM are bit-equal to each other and to
// kAvx2Vnni in all that is computed in f32 or int8; in bfloat16 kI8mm has sums of its own.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/quantized_table.h"

namespace dragoman::kernels::cpu {

// In the order of preference. A program has those of the family of processors that it is compiled
// for.
enum class Isa {
  // x86-64. Those from kAvx512 on include those before them but kAvx2Vnni.
  kBaseline,    // "baseline": SSE2
  kAvx2,        // "avx2", with FMA
  kAvx2Vnni,    // "avx2_vnni": dot products of int8 in 256 bits, as on clients from Alder Lake on
  kAvx512,      // "avx512": F, BW, DQ, VL
  kAvx512Vnni,  // "avx512_vnni"
  kAvx512Bf16,  // "avx512_bf16": and VNNI
  kAmx,         // "amx": tiles of int8 and bfloat16, and all of the above

  // 64-bit ARM. Each includes those before it.
  kNeon,     // "neon": ARMv8.0
  kDotprod,  // "dotprod": dot products of int8, ARMv8.2 mostly
  kI8mm,     // "i8mm": 2 x 2 tiles of int8 and, with them, of bfloat16, from ARMv8.6 on
};

// The instruction sets that this machine runs, the lowest first.
std::vector<Isa> SupportedIsas();

std::string_view IsaName(Isa isa);

// The one in use, and its tables. Thread-safe.
Isa ChosenIsa();
const KernelTable& Kernels();
const QuantizedTable& QuantizedKernels();

// Selects the set for all further operations, in tests. REQUIRES: supported; no operation is
// running.
void UseIsaForTest(Isa isa);

}  // namespace dragoman::kernels::cpu
