#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include "kernels/cpu/isa.h"

namespace dragoman::kernels::cpu {
namespace {

bool HasAvx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
bool HasAvx512Vnni() { return HasAvx512() && __builtin_cpu_supports("avx512vnni"); }
bool HasAvx512Bf16() { return HasAvx512Vnni() && __builtin_cpu_supports("avx512bf16"); }

// Linux grants the tile registers to a process that asks for them, for all of its threads.
bool HasAmx() {
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // XFEATURE_XTILEDATA
  return HasAvx512Bf16() && __builtin_cpu_supports("amx-tile") &&
         __builtin_cpu_supports("amx-int8") && __builtin_cpu_supports("amx-bf16") &&
         syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

}  // namespace

std::span<const IsaEntry> IsaEntries() {
  static const std::array<IsaEntry, 7> entries = [] {
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx2_vnni = avx2 && __builtin_cpu_supports("avxvnni");
    return std::array<IsaEntry, 7>{{
        {Isa::kBaseline, "baseline", &kBaselineKernels, &kBaselineQuantized, true},
        {Isa::kAvx2, "avx2", &kAvx2Kernels, &kAvx2Quantized, avx2},
        {Isa::kAvx2Vnni, "avx2_vnni", &kAvx2Kernels, &kAvx2VnniQuantized, avx2_vnni},
        {Isa::kAvx512, "avx512", &kAvx512Kernels, &kAvx512Quantized, HasAvx512()},
        {Isa::kAvx512Vnni, "avx512_vnni", &kAvx512Kernels, &kAvx512VnniQuantized, HasAvx512Vnni()},
        {Isa::kAvx512Bf16, "avx512_bf16", &kAvx512Kernels, &kAvx512Bf16Quantized, HasAvx512Bf16()},
        {Isa::kAmx, "amx", &kAvx512Kernels, &kAmxQuantized, HasAmx()},
    }};
  }();
  return entries;
}

}  // namespace dragoman::kernels::cpu
