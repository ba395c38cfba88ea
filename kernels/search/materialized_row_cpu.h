// FoldMaterializedRow (materialized_row.h) by one thread of the host: the same text and the same bits, compiled
// for the wider registers too and run with those that the machine has (kernels/cpu/isa.h).
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
