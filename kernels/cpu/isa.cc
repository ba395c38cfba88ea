#include "kernels/cpu/isa.h"

#include <atomic>
#include <cstdlib>

namespace dragoman::cpu {
namespace {

Isa BestIsa() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return Isa::kAvx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Isa::kAvx2;
  return Isa::kBaseline;
}

const KernelTable* TableOf(Isa isa) {
  switch (isa) {
    case Isa::kAvx512:
      return &kAvx512Kernels;
    case Isa::kAvx2:
      return &kAvx2Kernels;
    case Isa::kBaseline:
      break;
  }
  return &kBaselineKernels;
}

const KernelTable* Choose() {
  const char* wish = std::getenv("DRAGOMAN_CPU_ISA");
  const Isa best = BestIsa();
  if (wish != nullptr) {
    for (Isa isa : {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512}) {
      if (isa <= best && IsaName(isa) == wish) return TableOf(isa);
    }
  }
  return TableOf(best);
}

std::atomic<const KernelTable*>& Chosen() {
  static std::atomic<const KernelTable*> chosen(Choose());
  return chosen;
}

}  // namespace

std::vector<Isa> SupportedIsas() {
  std::vector<Isa> all;
  for (Isa isa : {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512}) {
    if (isa <= BestIsa()) all.push_back(isa);
  }
  return all;
}

std::string_view IsaName(Isa isa) { return TableOf(isa)->name; }

const KernelTable& Kernels() { return *Chosen().load(std::memory_order_relaxed); }

void UseIsaForTest(Isa isa) { Chosen().store(TableOf(isa)); }

}  // namespace dragoman::cpu
