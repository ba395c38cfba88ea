#include "kernels/cpu/isa.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>

#include "kernels/base/cpu_instruction_set.h"

namespace dragoman::cpu {
namespace {

bool HasAvx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
bool HasAvx512Vnni() { return HasAvx512() && __builtin_cpu_supports("avx512vnni"); }
bool HasAvx512Bf16() { return HasAvx512Vnni() && __builtin_cpu_supports("avx512bf16"); }

// Linux gives the registers of tiles to a process that asks for them, for all of its threads.
bool HasAmx() {
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // XFEATURE_XTILEDATA
  return HasAvx512Bf16() && __builtin_cpu_supports("amx-tile") &&
         __builtin_cpu_supports("amx-int8") && __builtin_cpu_supports("amx-bf16") &&
         syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

struct Entry {
  std::string_view name;
  const KernelTable* floats;
  const NarrowTable* narrow;
  bool supported;
};
using Entries = std::array<Entry, static_cast<size_t>(Isa::kAmx) + 1>;

const Entries& All() {
  static const Entries all = [] {
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return Entries{{
        {"baseline", &kBaselineKernels, &kBaselineNarrow, true},
        {"avx2", &kAvx2Kernels, &kAvx2Narrow, avx2},
        {"avx2_vnni", &kAvx2Kernels, &kAvx2VnniNarrow, avx2 && __builtin_cpu_supports("avxvnni")},
        {"avx512", &kAvx512Kernels, &kAvx512Narrow, HasAvx512()},
        {"avx512_vnni", &kAvx512Kernels, &kAvx512VnniNarrow, HasAvx512Vnni()},
        {"avx512_bf16", &kAvx512Kernels, &kAvx512Bf16Narrow, HasAvx512Bf16()},
        {"amx", &kAvx512Kernels, &kAmxNarrow, HasAmx()},
    }};
  }();
  return all;
}

const Entry& EntryOf(Isa isa) { return All()[static_cast<size_t>(isa)]; }

Isa Choose() {
  const char* wish = std::getenv("DRAGOMAN_CPU_ISA");
  const std::vector<Isa> supported = SupportedIsas();
  if (wish != nullptr) {
    for (const Isa isa : supported) {
      if (IsaName(isa) == wish) return isa;
    }
  }
  return supported.back();
}

std::atomic<Isa>& Chosen() {
  static std::atomic<Isa> chosen(Choose());
  return chosen;
}

}  // namespace

std::vector<Isa> SupportedIsas() {
  std::vector<Isa> supported;
  for (size_t i = 0; i < All().size(); ++i) {
    if (All()[i].supported) supported.push_back(static_cast<Isa>(i));
  }
  return supported;
}

std::string_view IsaName(Isa isa) { return EntryOf(isa).name; }

Isa ChosenIsa() { return Chosen().load(std::memory_order_relaxed); }

const KernelTable& Kernels() { return *EntryOf(ChosenIsa()).floats; }

const NarrowTable& NarrowKernels() { return *EntryOf(ChosenIsa()).narrow; }

void UseIsaForTest(Isa isa) { Chosen().store(isa); }

}  // namespace dragoman::cpu

namespace dragoman {

std::string_view CpuInstructionSet() { return cpu::IsaName(cpu::ChosenIsa()); }

}  // namespace dragoman
