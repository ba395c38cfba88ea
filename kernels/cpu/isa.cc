#include "kernels/cpu/isa.h"

#include <atomic>
#include <cstdlib>

#include "kernels/base/compute_type.h"

namespace dragoman::kernels::cpu {
namespace {

// Returns the best instruction set that this machine supports, or the supported one that the
// environment selects.
const IsaEntry* Choose() {
  const char* const wish = std::getenv("DRAGOMAN_CPU_ISA");
  const IsaEntry* best = nullptr;
  for (const IsaEntry& entry : IsaEntries()) {
    if (!entry.supported) continue;
    if (wish != nullptr && entry.name == wish) return &entry;
    best = &entry;
  }
  return best;
}

std::atomic<const IsaEntry*>& Chosen() {
  static std::atomic<const IsaEntry*> chosen(Choose());
  return chosen;
}

const IsaEntry& ChosenEntry() { return *Chosen().load(std::memory_order_relaxed); }

const IsaEntry& EntryOf(Isa isa) {
  for (const IsaEntry& entry : IsaEntries()) {
    if (entry.isa == isa) return entry;
  }
  std::abort();  // `isa` belongs to another processor family than this binary
}

}  // namespace

std::vector<Isa> SupportedIsas() {
  std::vector<Isa> supported;
  for (const IsaEntry& entry : IsaEntries()) {
    if (entry.supported) supported.push_back(entry.isa);
  }
  return supported;
}

std::string_view IsaName(Isa isa) { return EntryOf(isa).name; }

Isa ChosenIsa() { return ChosenEntry().isa; }

const KernelTable& Kernels() { return *ChosenEntry().floats; }

const QuantizedTable& QuantizedKernels() { return *ChosenEntry().quantized; }

void UseIsaForTest(Isa isa) { UseEntryForTest(&EntryOf(isa)); }

void UseEntryForTest(const IsaEntry* entry) { Chosen().store(entry); }

}  // namespace dragoman::kernels::cpu

namespace dragoman::kernels {

std::string_view CpuInstructionSet() { return cpu::IsaName(cpu::ChosenIsa()); }

}  // namespace dragoman::kernels
