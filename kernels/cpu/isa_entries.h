// The instruction sets of the processor family that is compiled for, with their tables: isa_x86.cc
// or isa_arm.cc. isa.h chooses among them.
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
  bool supported;  // by this machine; always true for the first entry
};

// Returns the entries, the lowest first. They live as long as the process. Thread-safe.
std::span<const IsaEntry> IsaEntries();

// Selects tables for tests; they outlive all later operations. REQUIRES: no operation is running.
void UseEntryForTest(const IsaEntry* entry);

}  // namespace dragoman::kernels::cpu
