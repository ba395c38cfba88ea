// Runs FoldMaterializedRow (materialized_row.h) on one host thread, with the same bits as the
// generic code. Chooses at run time the code for the widest vector registers of the CPU
// (kernels/cpu/isa.h).
#pragma once

#include <cstdint>

#include "kernels/search/materialized_row.h"
#include "kernels/search/row.h"
#include "kernels/search/slot.h"

namespace dragoman::kernels {

void FoldMaterializedRowOnHost(const SlotView& slot, int lane, const LogitRequest& request,
                               int32_t vocabulary, MaterializedRowWorkspace& workspace,
                               LogitSummary& summary);

}  // namespace dragoman::kernels
