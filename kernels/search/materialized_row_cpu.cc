#include "kernels/search/materialized_row_cpu.h"

#include "kernels/cpu/isa.h"

namespace dragoman::kernels {
namespace {

#if defined(__x86_64__)
#define DRAGOMAN_TARGET __attribute__((target("avx2"), flatten))
bool HasTarget() { return &cpu::Kernels() != &cpu::kBaselineKernels; }
#else
// Every 64-bit ARM CPU has vectors of four floats.
#define DRAGOMAN_TARGET __attribute__((flatten))
bool HasTarget() { return true; }
#endif

// `flatten` inlines the calls, so that the loops over the vocabulary are compiled for the same
// target. The code is compiled without fused multiply-adds, so the vectorized code computes each
// token with the same bits.
DRAGOMAN_TARGET void FoldWithVectors(const SlotView& slot, int lane, const LogitRequest& request,
                                     int32_t vocabulary, MaterializedRowWorkspace& workspace,
                                     LogitSummary& summary) {
  FoldMaterializedRow(SingleThread(), slot, lane, request, vocabulary, workspace, summary);
}

}  // namespace

void FoldMaterializedRowOnHost(const SlotView& slot, int lane, const LogitRequest& request,
                               int32_t vocabulary, MaterializedRowWorkspace& workspace,
                               LogitSummary& summary) {
  if (HasTarget()) {
    FoldWithVectors(slot, lane, request, vocabulary, workspace, summary);
  } else {
    FoldMaterializedRow(SingleThread(), slot, lane, request, vocabulary, workspace, summary);
  }
}

}  // namespace dragoman::kernels
