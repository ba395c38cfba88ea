// Chooses the instruction set of the CPU operations, once in a process. By default it is the best
// one that this machine supports.
//
// DRAGOMAN_CPU_ISA=<name> in the environment selects a lower one. A name that the machine does not
// support has no effect. Results of two instruction sets differ in their last bits, with two
// exceptions:
//   * int8 products are bit-equal on all sets except kBaseline, which has no fused multiply-add to
//     scale them with, and kAvx2, whose weights have fewer bits.
//   * f32 and int8 results of the ARM sets are bit-equal to each other and to kAvx2Vnni. In
//     bfloat16 kI8mm has its own order of sums.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/quantized_table.h"

namespace dragoman::kernels::cpu {

// The instruction sets, in ascending order of preference. A binary has the sets of the processor
// family that it is compiled for.
enum class Isa {
  // x86-64. From kAvx512 on, each set includes those before it except kAvx2Vnni.
  kBaseline,  // "baseline": SSE2
  kAvx2,      // "avx2", with FMA
  // "avx2_vnni": int8 dot products in 256 bits, as in Intel's client processors since Alder Lake
  kAvx2Vnni,
  kAvx512,      // "avx512": F, BW, DQ, VL
  kAvx512Vnni,  // "avx512_vnni"
  kAvx512Bf16,  // "avx512_bf16", includes VNNI
  kAmx,         // "amx": tiles of int8 and bfloat16

  // 64-bit ARM. Each includes those before it.
  kNeon,     // "neon": ARMv8.0
  kDotprod,  // "dotprod": int8 dot products, optional in ARMv8.2
  kI8mm,     // "i8mm": 2 x 2 tiles of int8 and of bfloat16, from ARMv8.6 on
};

// Returns the instruction sets that this machine supports, the lowest first.
std::vector<Isa> SupportedIsas();

std::string_view IsaName(Isa isa);

// The instruction set in use, and its tables of functions. Thread-safe.
Isa ChosenIsa();
const KernelTable& Kernels();
const QuantizedTable& QuantizedKernels();

// Selects the instruction set, in tests. REQUIRES: the machine supports it; no operation is
// running.
void UseIsaForTest(Isa isa);

// An instruction set that this binary has code for, and its tables of functions.
struct IsaEntry {
  Isa isa;
  std::string_view name;
  const KernelTable* floats;
  const QuantizedTable* quantized;
  bool supported;  // by this machine; always true for the first entry
};

// Returns the entries, the lowest first. They live as long as the process. Thread-safe.
std::span<const IsaEntry> IsaEntries();

// Selects the tables of `entry`, in tests. REQUIRES: no operation is running. `entry` outlives all
// later operations.
void UseEntryForTest(const IsaEntry* entry);

}  // namespace dragoman::kernels::cpu
