#include "kernels/search/stored_row_cpu.h"

#include "kernels/cpu/isa.h"

namespace dragoman {
namespace {

// The calls within are made part of it, so that the loops over the vocabulary have the same target.
// Nothing of it is fused: what is computed for several tokens at a time is computed for each of
// them as the plain text says.
__attribute__((target("avx2"), flatten)) void FoldWithAvx2(const SlotView& slot, int lane,
                                                           const LogitRequest& request,
                                                           int32_t vocabulary,
                                                           StoredRowWorkspace& workspace,
                                                           LogitSummary& summary) {
  FoldStoredRow(SingleThread(), slot, lane, request, vocabulary, workspace, summary);
}

}  // namespace

void FoldStoredRowOnHost(const SlotView& slot, int lane, const LogitRequest& request,
                         int32_t vocabulary, StoredRowWorkspace& workspace, LogitSummary& summary) {
  if (&cpu::Kernels() != &cpu::kBaselineKernels) {
    FoldWithAvx2(slot, lane, request, vocabulary, workspace, summary);
  } else {
    FoldStoredRow(SingleThread(), slot, lane, request, vocabulary, workspace, summary);
  }
}

}  // namespace dragoman
