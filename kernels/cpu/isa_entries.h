// The instruction sets of the processor family that the binary is compiled for, with their tables.
// Defined in isa_x86.cc or isa_arm.cc. isa.cc chooses among them.
#pragma once

#include <span>
#include <string_view>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/quantized_table.h"

namespace dragoman::kernels::cpu {

struct IsaEntry {
  Isa isa;
  std::string_view name;
  const KernelTable* floats;
  const QuantizedTable* quantized;
  bool supported;  // whether this machine supports it; always true for the first entry
};

// Returns the entries, the lowest first. They live as long as the process. Thread-safe.
std::span<const IsaEntry> IsaEntries();

// Selects an entry, in tests. REQUIRES: `entry` outlives all later operations; no operation is
// running.
void UseEntryForTest(const IsaEntry* entry);

}  // namespace dragoman::kernels::cpu
