#include "kernels/search/stored_row_cpu.h"

#include "kernels/cpu/isa.h"

namespace dragoman {
namespace {

// The calls within are made part of it, so that the loops over the vocabulary have the same target.
// Nothing of it is fused: what is computed for several tokens at a time is computed for each of
// them as the plain text says.
__attribute__((target("avx2"), flatten)) void FoldWithAvx2(const SlotView& slot, int lane,
                                                           const RowQuery& query,
                                                           int32_t vocabulary,
                                                           StoredRowWorkspace& workspace,
                                                           RowFold& fold) {
  FoldStoredRow(SoloTeam(), slot, lane, query, vocabulary, workspace, fold);
}

}  // namespace

void FoldStoredRowOnHost(const SlotView& slot, int lane, const RowQuery& query, int32_t vocabulary,
                         StoredRowWorkspace& workspace, RowFold& fold) {
  if (&cpu::Kernels() != &cpu::kBaselineKernels) {
    FoldWithAvx2(slot, lane, query, vocabulary, workspace, fold);
  } else {
    FoldStoredRow(SoloTeam(), slot, lane, query, vocabulary, workspace, fold);
  }
}

}  // namespace dragoman
